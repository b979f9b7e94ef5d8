#pragma once
// A recording of a person as what a robot should do: its floor, its feet, its hands.

#include <memory>

#include "panto/retarget/foot_plan.hpp"
#include "panto/retarget/robot_recording.hpp"
#include "panto/robot/map.hpp"

namespace panto {

/// Raises the gain of hands that touch firmly to 45/s where the map gives none, so that their weight has its
/// effect by the time they meet.
void raise_touch_gain(robot::Map& map);

/// Returns the map with weights and gains of hands that touch and of feet that follow or stand.
[[nodiscard]] robot::Map followed_map(robot::Map map, const Model& model, FeetMode feet);

/// @throws FormatError that names the recording when it holds no segment of the map. `gestures`: arms are
/// what is wanted.
void check_followed(Recording& recording, const Model& robot, const robot::Map& map, bool gestures);

/// A recording as what a robot should do.
struct RobotClip {
  PersonFeet feet;                            ///< of the person
  std::unique_ptr<RobotRecording> recording;  ///< at its beginning
};

/// Reads the recording once for floor and feet, and once more where feet are planted. Recording and model
/// must outlive the result.
[[nodiscard]] RobotClip make_robot_clip(Recording& recording, const Model& model, const robot::Map& map,
                                        const SubjectDimensions& subject, FeetMode feet);

}  // namespace panto
