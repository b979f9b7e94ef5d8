#pragma once
// How sensors sit on their segments, from motion: axes that the model knows and centres of its joints.
// docs/algorithms/calibration.md

#include <Eigen/Core>
#include <span>
#include <string>
#include <vector>

#include "panto/inertial/functional_calibration.hpp"
#include "panto/model/model.hpp"
#include "panto/model/state.hpp"
#include "panto/sample/imu_mount.hpp"
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

/// What was found of one joint.
struct JointFinding {
  enum class Kind : unsigned char { Axis, Centre };
  Kind kind = Kind::Axis;
  std::vector<std::string> joints;  ///< the hinge, or those whose common centre it is
  std::string first, second;        ///< sensors before and behind it; `first` is empty for the base
  int samples = 0;                  ///< that counted
  double residual = 0.0;            ///< rms [rad/s] or [m/s^2]
  double sigma = 0.0;               ///< of the worse sensor's answer, with residuals that last [rad] or [m]
  double off = 0.0;                 ///< of the worse sensor's answer from its nominal mount's [rad] or [m]
  bool good = false;
  std::string advice{};  ///< what to repeat and why; of a good one what stays open
};

/// Length of a segment between two of its joints' centres, as motion shows it.
struct SegmentLength {
  std::string link;       ///< that carries the sensor
  std::string near, far;  ///< joints, the one nearer to the root first
  double model = 0.0;     ///< [m]
  double found = 0.0;     ///< [m]
  double sigma = 0.0;     ///< of `found` [m]
};

/// What was found for one sensor.
struct MovedSensor {
  ImuMount mount;         ///< with sigmas where anything was found
  int directions = 0;     ///< axes and lines between centres that turned it
  int centres = 0;        ///< that placed it
  double residual = 0.0;  ///< angle by which its directions disagree, rms [rad]
  double turned = 0.0;    ///< from its nominal mount [rad]
  double moved = 0.0;     ///< the same of its place [m]
  bool good = false;
  std::string advice;
};

struct MotionCalibration {
  std::vector<MovedSensor> sensors;  ///< in the order of the mounts
  std::vector<JointFinding> joints;
  std::vector<SegmentLength> lengths;
};

/// Turns and moves the mounts so that what sensors felt agrees with the model's axes and centres, and with
/// the nominal mounts as far as nothing better is known.
/// @throws ConfigError: an unknown or sliding hinge, a hinge without a sensor on either side, a part without
/// motion, sizes that do not fit, nothing to calibrate from.
[[nodiscard]] MotionCalibration calibrate_motion(const Model& model, const MovedSession& session,
                                                 const MotionCalibrationOptions& options = {});

}  // namespace panto
