#pragma once
// From the word after --robot and a recording of a person to a robot that can follow it.

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "panto/retarget/foot_plan.hpp"
#include "panto/retarget/robot_recording.hpp"
#include "panto/robot/map.hpp"

namespace panto {

/// A robot, at rest in its map's rest pose, and how it follows a person.
struct NamedRobot {
  Model model;
  robot::MapProposal proposal;
};

/// What --robot names: a robot map (.toml), or whatever `resolve_model` knows, whose map is then found. What
/// a person should know goes to `notes`.
/// @throws ConfigError for a name that is none, FormatError for a bad file, ModelError where no map can be
/// found or that of the file does not fit.
[[nodiscard]] NamedRobot resolve_robot(const std::string& name, const SubjectDimensions& subject,
                                       std::vector<std::string>& notes);

/// Where what touches is firm: hands whose attachment gives no gain are put right at 45/s, so that what their
/// weight asks for is there when they meet.
void hasten_firm_hands(robot::Map& map);

/// A recording as what a robot should do.
struct RobotClip {
  PersonFeet feet;
  std::unique_ptr<RobotRecording> recording;
  /// The same from the beginning, of the recording opened once more. The model must be there still.
  std::function<std::unique_ptr<RobotRecording>(std::unique_ptr<Recording>)> again;
};

/// What of the map can follow. `gestures`: the arms are what is asked for. @throws FormatError that names the
/// recording where it holds none of the segments that the map has.
void check_followed(Recording& file, const std::string& input, const Model& robot, const robot::Map& map,
                    bool gestures);

/// Opens the recording from its beginning: it is read more than once.
using OpenAgain = std::function<std::unique_ptr<Recording>()>;

/// Reads the recording once for the floor and the feet, and once more where these are planted.
[[nodiscard]] RobotClip open_robot_clip(std::unique_ptr<Recording> file, const OpenAgain& open_again,
                                        const Model& model, const robot::Map& map,
                                        const SubjectDimensions& subject, FeetMode feet);

}  // namespace panto
