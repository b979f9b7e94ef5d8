#pragma once
// Opens the recordings, models and robots that the command line names.

#include <memory>
#include <string>
#include <vector>

#include "apps/panto/tracking_options.hpp"
#include "panto/api/suit_motion.hpp"
#include "panto/io/input.hpp"
#include "panto/io/model_formats.hpp"
#include "panto/io/open_recording.hpp"
#include "panto/live/sample_player.hpp"
#include "panto/tracking/sensed_person.hpp"

namespace panto::app {

/// A recording and, if it comes from raw sensors, their figures.
struct OpenedRecording {
  std::unique_ptr<Recording> recording;
  std::shared_ptr<const SensedFigures> sensed;  ///< null: it holds segments
};

/// Opens `options.input`, or reads it from `opened`. `observer`: for raw sensors. @throws Error as
/// `io::open_recording`; ModelError with the map's line for a map with names that the recording lacks.
[[nodiscard]] OpenedRecording open_recording(const TrackingOptions& options, std::vector<std::string>& notes,
                                             const Observer& observer, io::Input* opened = nullptr);

/// Makes the model to track a recording with. @throws ConfigError for sizes given to a model that has its
/// own.
[[nodiscard]] io::ShapedModel model_for(const TrackingOptions& options, const RecordingInfo& info,
                                        std::vector<std::string>& notes);

/// Opens `options.input` as a suit would stream it, at `rate_hz` or its own rate. Says its notes.
/// @throws as `open_recording` and `suit_motion`.
[[nodiscard]] SuitMotion playable_person(const TrackingOptions& options, std::optional<double> rate_hz);

/// A recording of raw sensors, sample by sample.
struct PlayableSensors {
  std::vector<std::string> names;
  double rate_hz = 0.0;
  live::Playable<ImuSample> samples;
};

/// Opens a recording of raw sensors. Says its notes. @throws as `io::open_imu`.
[[nodiscard]] PlayableSensors playable_sensors(const std::string& path);

/// A robot, and the shapes that its URDF names.
struct NamedRobot {
  Robot robot;
  std::shared_ptr<const io::RobotShapes> shapes;  ///< null: none
};

}  // namespace panto::app
