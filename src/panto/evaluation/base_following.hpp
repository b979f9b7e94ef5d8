#pragma once
// Compares the motion of a robot's base with the person's pelvis: what a base does that the person does not.

#include <Eigen/Core>
#include <array>

#include "panto/evaluation/figures.hpp"
#include "panto/evaluation/metrics.hpp"
#include "panto/evaluation/peak.hpp"

namespace panto {

/// A robot's base in one frame, and the person's pelvis in the robot's size.
struct BaseFrame {
  Time t = 0;
  Eigen::Vector3d robot = Eigen::Vector3d::Zero(), person = Eigen::Vector3d::Zero();  ///< in the world [m]
  Eigen::Matrix3d R_robot = Eigen::Matrix3d::Identity();   ///< orientation of the base
  Eigen::Matrix3d R_wanted = Eigen::Matrix3d::Identity();  ///< the same, if it turned as the person does
};

/// Returns the angle between the directions in which two orientations of one body see gravity [deg]; the
/// heading plays no part.
[[nodiscard]] double tilt_between(const Eigen::Matrix3d& a, const Eigen::Matrix3d& b) noexcept;

/// Returns the turn about the vertical between two orientations of one body [deg], 0 to 180: the part about z
/// of the turn from one to the other. 0 where that part is undefined: an axis in the plane, turned by 180
/// deg.
[[nodiscard]] double heading_between(const Eigen::Matrix3d& a, const Eigen::Matrix3d& b) noexcept;

/// Collects a motion frame by frame. Accelerations are second differences over equal intervals.
class BaseFollowing {
 public:
  void add(const BaseFrame& frame);
  /// Marks a cut: no difference crosses this point.
  void interrupt() noexcept { before_ = 0; }
  [[nodiscard]] std::size_t frames() const noexcept { return tilt_.count(); }
  [[nodiscard]] BaseFigures report() const;

 private:
  std::array<BaseFrame, 2> last_;  // newest first; `before_` of them are valid
  int before_ = 0;
  SampleStatistics speed_, acceleration_, base_acceleration_, tilt_, heading_;
  Peak fastest_, hardest_, steepest_, most_turned_;
};

}  // namespace panto
