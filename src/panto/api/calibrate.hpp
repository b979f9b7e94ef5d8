#pragma once
// Finds how raw sensors sit on their segments, from poses that are held and from motion.

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "panto/inertial/calibration_result.hpp"
#include "panto/inertial/sensor_setup.hpp"
#include "panto/recording/recording.hpp"
#include "panto/tracking/observer.hpp"

namespace panto {

/// A part of a clip, [s] since its first sample: `from` included, `to` not; infinity: to its end.
struct TimeSpan {
  double from = 0.0, to = kInfinity;
};

/// What was done while a clip was recorded.
struct CalibrateOptions {
  /// "npose", "tpose", "chair", in the order in which they were held; where all sensors are still is found.
  std::vector<std::string> poses = {};
  /// The person walks straight ahead; with one pose of sensors that have no field.
  std::optional<TimeSpan> walk = {};
  /// Hinges that moved while the others between the same two sensors were held as the setup's start says.
  std::vector<std::pair<std::string, TimeSpan>> hinges = {};
  std::vector<TimeSpan> motions = {};  ///< everything moved, anyhow
  /// A sensor whose mounting is right about the vertical: it tells the field's heading, or which way the
  /// person faced. Empty: none.
  std::string trusted = {};
};

/// A pose that was held, and when: both its first and its last sample.
struct FoundPose {
  std::string pose;
  TimeSpan held;
};

/// What was found.
struct CalibrateResult {
  SensorSetup sensors;                  ///< calibrated: mounts, biases, the field; goes to `track`
  std::vector<ImuMount> nominal;        ///< by mount, as they were given
  std::vector<CalibratedSensor> found;  ///< by mount
  MotionCalibration motion;             ///< by mount; empty without hinges and motions
  std::vector<FoundPose> poses;         ///< in the order of the options
  bool good = false;                    ///< nothing is to be repeated
  std::vector<std::string> notes;       ///< for people, in the order in which they came up
};

/// Makes a setup in which every sensor that is called like a link of `model` sits on it. No field.
/// @throws ConfigError when no sensor is.
[[nodiscard]] SensorSetup mounts_by_name(const ImuClip& clip, const Model& model);

/// Calibrates the mounts of `nominal`, which may be about right, by what `options` say that was done.
/// @throws FormatError for units that cannot be right, poses that are not found, and a clip of one sample;
/// ConfigError for options that contradict each other or the clip, unknown poses, hinges and sensors;
/// ModelError for a link that the model lacks.
[[nodiscard]] CalibrateResult calibrate(const ImuClip& clip, const Model& model, const SensorSetup& nominal,
                                        const CalibrateOptions& options, const Observer& observer = {});

}  // namespace panto
