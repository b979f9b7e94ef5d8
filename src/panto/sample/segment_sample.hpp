#pragma once
// Measured poses of body segments at one instant, in the source's own segments.

#include <Eigen/Core>
#include <array>
#include <vector>

#include "panto/base/time.hpp"

namespace panto {

/// One measured segment S in world axes W (z up). Each quantity is valid only if its flag says so.
struct SegmentMotion {
  Eigen::Matrix3d R_WS = Eigen::Matrix3d::Identity();  ///< orientation
  Eigen::Vector3d p_WS = Eigen::Vector3d::Zero();      ///< origin [m]
  Eigen::Vector3d w_WS = Eigen::Vector3d::Zero();      ///< angular velocity [rad/s]
  Eigen::Vector3d v_WS = Eigen::Vector3d::Zero();      ///< velocity of the origin [m/s]
  bool has_orientation = false;
  bool has_position = false;
  bool has_angular_velocity = false;
  bool has_linear_velocity = false;
  /// Contact of the segment: 0 none, 1 full. It raises the weight of a robot's hands
  /// (`robot::with_touch_weights`).
  double touch = 0.0;
};

/// How much jitter is taken from points (docs/algorithms/keypoints.md).
enum class PointCleaning : unsigned char {
  Off,     ///< as measured: no gap is bridged, no fault repaired
  Light,   ///< what a whole clip shows to be noise
  Strong,  ///< half the cut-off frequency, and of quiet points too
};

/// All segments at time t, in the order of `Source::names()`.
struct SegmentSample {
  Time t = 0;  ///< [ns]
  std::vector<SegmentMotion> segments;
  bool cut = false;  ///< does not continue the sample before, as after a gap, whatever the stamps are
};

/// Recorded contacts of both soles at one instant: 1 contact, 0 none, -1 unknown.
struct GivenContacts {
  std::array<signed char, 2> heel{-1, -1}, ball{-1, -1};  ///< right, left
};

}  // namespace panto
