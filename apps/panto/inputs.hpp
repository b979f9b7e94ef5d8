#pragma once
// Words of the command line to recordings, models and robots.

#include <memory>
#include <string>
#include <vector>

#include "apps/panto/tracking_options.hpp"
#include "panto/io/input.hpp"
#include "panto/io/link_meshes.hpp"
#include "panto/io/open_recording.hpp"
#include "panto/tracking/sensed_person.hpp"

namespace panto::app {

/// A recording and, where raw sensors are behind it, how they fared.
struct OpenedRecording {
  std::unique_ptr<Recording> recording;
  std::shared_ptr<const SensedFigures> sensed;  ///< null: it holds segments
};

/// Opens `options.input`, or takes it from `opened`. `observer`: of raw sensors. @throws Error as
/// `io::open_recording` does; a map that names what the recording has not is a ModelError with the map's
/// line.
[[nodiscard]] OpenedRecording open_recording(const TrackingOptions& options, std::vector<std::string>& notes,
                                             const Observer& observer, io::Input* opened = nullptr);

/// Makes the model that a recording is tracked with. @throws ConfigError for sizes of a model that has its
/// own.
[[nodiscard]] Model model_for(const TrackingOptions& options, const RecordingInfo& info,
                              std::vector<std::string>& notes);

/// A robot, and the shapes that its URDF names.
struct NamedRobot {
  Robot robot;
  std::shared_ptr<const io::UrdfShapes> shapes;  ///< null: none
};

/// Makes the robot that `name` means: a robot map (.toml), or whatever `io::open_model` knows, whose map is
/// then found. `subject`: the size of a human that stands in for a robot.
/// @throws ConfigError for an unknown name, FormatError for a bad file, ModelError where no map can be found
/// or that of the file does not fit.
[[nodiscard]] NamedRobot load_robot(const std::string& name, const SubjectDimensions& subject,
                                    std::vector<std::string>& notes);

}  // namespace panto::app
