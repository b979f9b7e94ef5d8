#pragma once
// Prepares a person's recording for a robot: floor, feet, hands.

#include <memory>

#include "panto/retarget/foot_plan.hpp"
#include "panto/retarget/robot_recording.hpp"
#include "panto/robot/map.hpp"

namespace panto {

/// Raises the gain of hands with firm touch to 45/s if the map gives none, so that their weight takes effect
/// before they meet.
void raise_touch_gain(robot::Map& map);

/// Returns the map with weights and gains for hands that touch and for feet that follow or are planted.
[[nodiscard]] robot::Map followed_map(robot::Map map, const Model& model, FeetMode feet);

/// Checks that the recording has a segment of the map. `gestures`: arms are needed. @throws FormatError
/// naming the recording.
void check_followed(Recording& recording, const Model& robot, const robot::Map& map, bool gestures);

/// A recording prepared for a robot.
struct RobotClip {
  PersonFeet feet;                            ///< of the person
  std::unique_ptr<RobotRecording> recording;  ///< at its beginning
};

/// Reads the recording once for floor and feet, and once more if feet are planted. Recording and model must
/// outlive the result. `character`: it is posed, not solved: forearms keep their twist, and its soles are as
/// thick as the person's joints stand above z = 0, so that both stand on the same floor.
[[nodiscard]] RobotClip make_robot_clip(Recording& recording, const Model& model, const robot::Map& map,
                                        const SubjectDimensions& subject, FeetMode feet,
                                        bool character = false);

}  // namespace panto
