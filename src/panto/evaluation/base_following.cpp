#include "panto/evaluation/base_following.hpp"

#include <Eigen/Geometry>
#include <cmath>

#include "panto/math/degrees.hpp"
#include "panto/math/directions.hpp"

namespace panto {
namespace {

using Eigen::Vector3d;

constexpr double kEqualInterval = 2.5e-9;  // [s] stamps are rounded to the nanosecond

}  // namespace

double tilt_between(const Eigen::Matrix3d& a, const Eigen::Matrix3d& b) noexcept {
  const Vector3d up_a = a.row(2).transpose(), up_b = b.row(2).transpose();
  return angle_between(up_a, up_b) * kToDegrees;
}

double heading_between(const Eigen::Matrix3d& a, const Eigen::Matrix3d& b) noexcept {
  const Eigen::Quaterniond turn(Eigen::Matrix3d(a * b.transpose()));
  // half the turn about z is the angle of (w, z)
  return 2.0 * angle_between(Vector3d(std::abs(turn.w()), std::abs(turn.z()), 0.0), Vector3d::UnitX()) *
         kToDegrees;
}

void BaseFollowing::add(const BaseFrame& frame) {
  if (before_ > 0 && frame.t <= last_[0].t) interrupt();
  const double tilt = tilt_between(frame.R_robot, frame.R_wanted);
  tilt_.add(tilt);
  steepest_.keep(tilt, frame.t);
  const double heading = heading_between(frame.R_robot, frame.R_wanted);
  heading_.add(heading);
  most_turned_.keep(heading, frame.t);
  const double dt = before_ > 0 ? to_seconds(frame.t - last_[0].t) : 0.0;
  if (before_ > 0) {
    const double excess =
        ((frame.robot - last_[0].robot).norm() - (frame.person - last_[0].person).norm()) / dt;
    speed_.add(excess);
    fastest_.keep(excess, frame.t);
  }
  if (before_ > 1 && std::abs(dt - to_seconds(last_[0].t - last_[1].t)) <= kEqualInterval) {
    const auto second = [&](Vector3d BaseFrame::*place) {
      return (frame.*place - 2.0 * last_[0].*place + last_[1].*place).norm() / (dt * dt);
    };
    const double robot = second(&BaseFrame::robot), excess = robot - second(&BaseFrame::person);
    base_acceleration_.add(robot);
    acceleration_.add(excess);
    hardest_.keep(excess, last_[0].t);
  }
  last_[1] = last_[0];
  last_[0] = frame;
  before_ = before_ > 0 ? 2 : 1;
}

BaseFigures BaseFollowing::report() const {
  BaseFigures figures;
  figures.base_speed_excess_p99_m_s = speed_.percentile(0.99);
  figures.base_speed_excess_max_m_s = fastest_.value;
  figures.base_speed_excess_max_at_s = fastest_.at_s;
  figures.base_acceleration_p99_m_s2 = base_acceleration_.percentile(0.99);
  figures.base_acceleration_excess_p99_m_s2 = acceleration_.percentile(0.99);
  figures.base_acceleration_excess_max_m_s2 = hardest_.value;
  figures.base_acceleration_excess_max_at_s = hardest_.at_s;
  figures.base_tilt_median_deg = tilt_.percentile(0.5);
  figures.base_tilt_p95_deg = tilt_.percentile(0.95);
  figures.base_tilt_max_deg = steepest_.value;
  figures.base_tilt_max_at_s = steepest_.at_s;
  figures.base_heading_median_deg = heading_.percentile(0.5);
  figures.base_heading_p95_deg = heading_.percentile(0.95);
  figures.base_heading_max_deg = most_turned_.value;
  figures.base_heading_max_at_s = most_turned_.at_s;
  return figures;
}

}  // namespace panto
