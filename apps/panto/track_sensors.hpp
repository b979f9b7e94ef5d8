#pragma once
// Tracks raw inertial sensors with a model: `panto track IMUFILE --sensors sensors.toml`.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "apps/panto/printing.hpp"
#include "panto/api/track_sensors.hpp"
#include "panto/bridge/sensor_outputs.hpp"
#include "panto/io/input.hpp"
#include "panto/io/open_model.hpp"
#include "panto/recording/imu_recording.hpp"

namespace panto::app {

/// Files of raw sensors, and the body that wears them.
struct SensorFiles {
  std::string input, sensors;  ///< the recording, and the file with the mounting of its sensors
  std::string model = "human66";
  std::optional<double> height, mass;  ///< of a human [m], [kg]
  std::optional<BaseKind> base = {};   ///< unset: as the model says
};

struct SensorTrackingOptions : bridge::SensorOutputOptions {
  SensorFiles files;
  bool smooth = false;  ///< estimates every sample from the whole recording
  PrintOptions printing;
};

/// Raw sensors and the body that wears them, after opening.
struct OpenedSensors {
  ImuClip clip;  ///< `notes`: of opening everything
  SensorSetup sensors;
  SubjectDimensions subject;
  Model model;
  std::shared_ptr<const io::RobotShapes> shapes;  ///< of its URDF; null: none
};

/// Opens what `files` name; the recording may be open already. @throws Error with the reason.
[[nodiscard]] OpenedSensors open_sensors(const SensorFiles& files, io::Input* opened = nullptr);

/// Tracks to the end, writes the outputs and prints the result. Returns the exit code. @throws Error.
[[nodiscard]] int track_sensors(const SensorTrackingOptions& options, io::Input& opened);

}  // namespace panto::app
