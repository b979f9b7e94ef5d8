#pragma once
// Finds the mounting of sensors on segments from motion, by the model's axes and joint centres.
// docs/algorithms/calibration.md

#include <Eigen/Core>
#include <span>
#include <string>
#include <vector>

#include "panto/inertial/calibration_result.hpp"
#include "panto/inertial/functional_calibration.hpp"
#include "panto/model/model.hpp"
#include "panto/model/state.hpp"
#include "panto/sample/imu_sample.hpp"

namespace panto {

/// A part of a recording in which one hinge moved, but not its neighbours between the same two sensors.
struct MovedHinge {
  std::string joint;
  std::span<const ImuSample> samples;  ///< sensors in the order of the mounts
};

/// A direction known beforehand, such as up in a pose.
struct KnownDirection {
  int mount = 0;
  Eigen::Vector3d in_link, in_sensor;  ///< any length
  double sigma = 0.0;                  ///< [rad], > 0
};

/// Recording and prior knowledge of a calibration.
struct MovedSession {
  std::vector<ImuMount> mounts;            ///< nominal; their sigmas, if given, are used
  std::vector<Eigen::Vector3d> gyro_bias;  ///< by mount [rad/s]
  State held;                              ///< pose about which hinges moved and which the others kept
  Eigen::Vector3d gravity_W{0.0, 0.0, -9.80665};
  std::vector<MovedHinge> hinges;
  std::vector<std::span<const ImuSample>> free;  ///< parts with arbitrary motion of any joint
  std::vector<KnownDirection> known = {};
};

/// Standard deviations and thresholds for a good result.
struct MotionCalibrationOptions {
  /// Thresholds of single joints; stricter for a hinge, because the limbs before it turn too and explain
  /// much.
  FunctionalOptions functional{.axis_residual = 0.1};
  double mounting = 0.0524;  ///< of nominal mounts about each axis [rad], > 0
  double place = 0.02;       ///< and along each axis [m], > 0
  double held = 0.087;       ///< motion of held hinges while their neighbour moves [rad], >= 0
  /// Least uncertainty of a found direction, whatever its residual: soft tissue turns with the joint [rad], >
  /// 0.
  double flesh = 0.026;
  double length = 0.005;     ///< of the model's lengths [m], > 0
  double lasting = 0.2;      ///< correlation time of residuals [s], >= 0. Larger: less trust
  double acc = 0.1;          ///< lasting error of accelerometers and of a swaying base [m/s^2], >= 0
  double good_turn = 0.048;  ///< largest uncertainty of a good mount, worst axis [rad], > 0
};

/// Turns and moves the mounts so that the readings agree with the model's axes and centres, and with the
/// nominal mounts where nothing better is known. @throws ConfigError for an unknown or sliding hinge, a hinge
/// without sensors on both sides, a part without motion, sizes that do not match, or nothing to calibrate
/// from.
[[nodiscard]] MotionCalibration calibrate_motion(const Model& model, const MovedSession& session,
                                                 const MotionCalibrationOptions& options = {});

}  // namespace panto
