#pragma once
// Finds the mounting of raw sensors on their segments, from held poses and from motion.

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "panto/inertial/calibration_result.hpp"
#include "panto/inertial/sensor_setup.hpp"
#include "panto/recording/recording.hpp"
#include "panto/tracking/observer.hpp"

namespace panto {

/// A part of a clip [s since its first sample], `from` included, `to` excluded; infinity: to its end.
struct TimeSpan {
  double from = 0.0, to = kInfinity;
};

/// What the person did while the clip was recorded.
struct CalibrateOptions {
  /// "npose", "tpose", "chair", in the order held. `calibrate` finds the parts in which all sensors are
  /// still.
  std::vector<std::string> poses = {};
  /// When the person walks straight ahead. Only with a single pose, and without a magnetic field.
  std::optional<TimeSpan> walk = {};
  /// Hinges that moved, and when; meanwhile other joints between the same two sensors kept the setup's start
  /// angles.
  std::vector<std::pair<std::string, TimeSpan>> hinges = {};
  std::vector<TimeSpan> motions = {};  ///< when everything moved, in any way
  /// A sensor that is turned about the vertical as `nominal` says: gives the field's heading, or the
  /// direction that the person faced. Empty: none.
  std::string trusted = {};
};

/// A held pose and its time span, first and last sample included.
struct FoundPose {
  std::string pose;
  TimeSpan held;
};

/// What calibration found.
struct CalibrateResult {
  SensorSetup sensors;                  ///< calibrated mounts, biases and field, for `track`
  std::vector<ImuMount> nominal;        ///< by mount, as given
  std::vector<CalibratedSensor> found;  ///< by mount
  MotionCalibration motion;             ///< by mount; empty without hinges and motions
  std::vector<FoundPose> poses;         ///< in the order of the options
  /// Other spans held still [s], about as long as the poses', in which a sensor's inclination is unlike its
  /// inclination in each pose.
  std::vector<TimeSpan> other_held;
  bool good = false;               ///< no pose or motion needs repeating
  std::vector<std::string> notes;  ///< for people, in order of appearance
};

/// Makes a setup that mounts every sensor on the link of `model` with the same name; without a field.
/// @throws ConfigError when no sensor has the name of a link.
[[nodiscard]] SensorSetup mounts_by_name(const ImuClip& clip, const Model& model);

/// Calibrates the mounts of `nominal`, which need only be roughly right, from the poses and motions in
/// `options`.
/// @throws FormatError for implausible units, poses that are not found, and a clip of one sample;
/// ConfigError for options that contradict each other or the clip, unknown poses, hinges and sensors;
/// ModelError for a link that the model lacks.
[[nodiscard]] CalibrateResult calibrate(const ImuClip& clip, const Model& model, const SensorSetup& nominal,
                                        const CalibrateOptions& options, const Observer& observer = {});

}  // namespace panto
