#pragma once
// Readings of inertial sensors at one instant: angular rate, specific force and magnetic field in each
// sensor's axes; orientations of trackers that already fuse them.

#include <Eigen/Core>
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

}  // namespace panto
