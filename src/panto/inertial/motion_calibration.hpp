#pragma once
// How sensors sit on their segments, from motion: axes that the model knows and centres of its joints.
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

/// A part of a recording in which one hinge moved while its neighbours between the same two sensors did not.
struct MovedHinge {
  std::string joint;
  std::span<const ImuSample> samples;  ///< sensors in the order of the mounts
};

/// A direction that is known beforehand, such as up in a pose.
struct KnownDirection {
  int mount = 0;
  Eigen::Vector3d in_link, in_sensor;  ///< any length
  double sigma = 0.0;                  ///< [rad], > 0
};

/// What was recorded for a calibration, and what is known before it.
struct MovedSession {
  std::vector<ImuMount> mounts;            ///< nominal; their sigmas, where they have any, are believed
  std::vector<Eigen::Vector3d> gyro_bias;  ///< by mount [rad/s]
  State held;                              ///< pose about which hinges moved, and that the others kept
  Eigen::Vector3d gravity_W{0.0, 0.0, -9.80665};
  std::vector<MovedHinge> hinges;
  std::vector<std::span<const ImuSample>> free;  ///< parts in which any joint moved anyhow
  std::vector<KnownDirection> known = {};
};

/// Standard deviations, and what counts as good.
struct MotionCalibrationOptions {
  /// A hinge leaves less of the rate unexplained where the limbs before it turn too, which explains much.
  FunctionalOptions functional{.axis_residual = 0.1};
  double mounting = 0.0524;  ///< of nominal mounts about each axis [rad], > 0
  double place = 0.02;       ///< and along each [m], > 0
  double held = 0.087;       ///< of hinges that keep still while their neighbour moves [rad], >= 0
  /// Of a direction that was found, whatever its residual says: flesh turns with the joint [rad], > 0.
  double flesh = 0.026;
  double length = 0.005;     ///< of the model's lengths [m], > 0
  double lasting = 0.2;      ///< residuals hang together for so long [s], >= 0. Larger: less is believed
  double acc = 0.1;          ///< what accelerometers and a base that sways get wrong for longer [m/s^2], >= 0
  double good_turn = 0.048;  ///< uncertainty of a mount that is good, worst axis [rad], > 0
};

/// Turns and moves the mounts so that what sensors felt agrees with the model's axes and centres, and with
/// the nominal mounts as far as nothing better is known.
/// @throws ConfigError: an unknown or sliding hinge, a hinge without a sensor on either side, a part without
/// motion, sizes that do not fit, nothing to calibrate from.
[[nodiscard]] MotionCalibration calibrate_motion(const Model& model, const MovedSession& session,
                                                 const MotionCalibrationOptions& options = {});

}  // namespace panto
