#pragma once
// Inertial sensors: where they sit, and what they felt at one instant: raw rates, specific force, field, in
// each sensor's own axes; of trackers that fuse them already, the orientation.

#include <Eigen/Core>
#include <optional>
#include <string>
#include <vector>

#include "panto/base/time.hpp"

namespace panto {

/// One sensor I. Each quantity is valid only if its flag says so.
struct ImuReading {
  Eigen::Vector3d gyro = Eigen::Vector3d::Zero();  ///< angular rate of I in the world, in I [rad/s]
  Eigen::Vector3d acc = Eigen::Vector3d::Zero();   ///< specific force in I [m/s^2]: at rest 9.81 upward
  Eigen::Vector3d mag = Eigen::Vector3d::Zero();   ///< magnetic field in I, in the unit of its reference
  bool has_gyro = false;
  bool has_acc = false;
  bool has_mag = false;
  /// Orientation of I in the inertial frame G (z up): a quaternion (w, x, y, z), norm 1 within 1 %.
  Eigen::Vector4d wxyz_GI{1.0, 0.0, 0.0, 0.0};
  bool has_orientation = false;

  /// Returns true when any valid quantity shows the sensor's motion; a magnetic field alone does not.
  [[nodiscard]] bool tells_motion() const noexcept { return has_gyro || has_acc || has_orientation; }
};

/// All sensors at time t, in the order of `Source::names()`.
struct ImuSample {
  Time t = 0;  ///< [ns]
  std::vector<ImuReading> imus;
};

/// A sensor I, rigid on a link L.
struct ImuMount {
  std::string name;
  std::string link;
  Eigen::Matrix3d R_LI = Eigen::Matrix3d::Identity();
  Eigen::Vector3d p_LI = Eigen::Vector3d::Zero();  ///< [m]
  /// Uncertainty of R_LI about each axis, standard deviation [rad], > 0; unset: the filter's default.
  std::optional<double> turn_sigma = std::nullopt;
  /// Uncertainty of p_LI along each axis, standard deviation [m], > 0; unset: unknown.
  std::optional<double> position_sigma = std::nullopt;
};

/// Gravity and magnetic field around the chain, in world axes W.
struct Surroundings {
  Eigen::Vector3d gravity_W{0.0, 0.0, -9.80665};  ///< [m/s^2]
  /// Magnetic field, in the unit of the samples. The default has norm 1, points north along +y and dips 66
  /// deg, as in the middle of Europe.
  Eigen::Vector3d field_W{0.0, 0.40673664307580021, -0.91354545764260087};
  /// Orientation of G, the frame of the trackers' orientations.
  Eigen::Matrix3d R_WG = Eigen::Matrix3d::Identity();
};

}  // namespace panto
