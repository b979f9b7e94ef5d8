#pragma once
// Where body segments were at one instant: what a source measured, in the source's own segments.

#include <Eigen/Core>
#include <string>
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
  /// How much the place of the origin matters because the segment touches something: 0 not more than usual, 1
  /// fully. It raises the weight of a robot's hands (`robot::with_touch_weights`).
  double touch = 0.0;
};

/// All segments at time t, in the order of the names that the source announces (`Source::names()`).
struct SegmentSample {
  Time t = 0;  ///< [ns]
  std::vector<SegmentMotion> segments;
  bool cut = false;  ///< not the motion of the sample before: as after a gap, whatever the stamps say
};

}  // namespace panto
