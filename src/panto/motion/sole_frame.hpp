#pragma once
// Poses of a foot on its sole. Used inside foot planting, for clips and live.

#include <Eigen/Core>
#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include "panto/math/elementary.hpp"
#include "panto/math/so3.hpp"
#include "panto/math/vector_math.hpp"
#include "panto/motion/foot_contacts.hpp"

namespace panto::detail {

inline constexpr double kSoftPitch = 0.01;  ///< [rad] over which the pitch below the contact point fades out

/// Returns max(x, 0), rounded off over `width`.
[[nodiscard]] inline double soft_positive(double x, double width) {
  return 0.5 * (x + std::sqrt(x * x + width * width));
}

/// The sole as a frame S on F: x from heel to ball, z up.
struct SoleFrame {
  Eigen::Matrix3d R_FS = Eigen::Matrix3d::Identity();
  double length = 0.0;
};

[[nodiscard]] inline SoleFrame sole_frame(const FootSole& sole) {
  SoleFrame frame{Eigen::Matrix3d::Identity(), (sole.ball - sole.heel).norm()};
  const Eigen::Vector3d x = (sole.ball - sole.heel) / frame.length;
  const Eigen::Vector3d y = sole.up.cross(x).normalized();
  frame.R_FS << x, y, x.cross(y);
  return frame;
}

[[nodiscard]] inline Eigen::Vector3d heading(double yaw) {
  const SinCos turn = sincos(yaw);
  return {turn.cos, turn.sin, 0.0};
}

/// Return heading and pitch of a sole; pitch is positive when the heel is up.
[[nodiscard]] inline double sole_yaw(const Eigen::Matrix3d& R_WF, const SoleFrame& sole) {
  const Eigen::Vector3d x = R_WF * sole.R_FS.col(0), z = R_WF * sole.R_FS.col(2);
  // when the sole points up or down, its back or front gives the heading
  const Eigen::Vector3d ahead = std::abs(x.z()) < 0.95 ? x : Eigen::Vector3d(x.z() < 0.0 ? z : -z);
  return atan2(ahead.y(), ahead.x());
}
[[nodiscard]] inline double sole_pitch(const Eigen::Matrix3d& R_WF, const SoleFrame& sole) {
  return -asin((R_WF * sole.R_FS.col(0)).z());
}

/// Returns the height by which a sole that would be under the floor rises onto it, rounded off.
[[nodiscard]] inline double sole_rise(std::span<const Eigen::Vector3d> corners, double clearance,
                                      double ground, const Eigen::Vector3d& p_WF,
                                      const Eigen::Matrix3d& R_WF) {
  double sum = 0.0;
  for (const Eigen::Vector3d& point : corners) {
    const double height = (p_WF + R_WF * point).z() - ground;
    sum += power(soft_positive(-height, clearance), 4);
  }
  return std::sqrt(std::sqrt(sum));
}

struct FootPose {
  Eigen::Vector3d p_WF = Eigen::Vector3d::Zero();
  Eigen::Matrix3d R_WF = Eigen::Matrix3d::Identity();
};

/// Returns the pose of a foot in stance: its ball is at `ball` on the floor, or, while it leans back (a pitch
/// below 0), its heel is a sole's length behind that. No roll.
[[nodiscard]] inline FootPose standing_pose(const FootSole& sole, const SoleFrame& frame,
                                            const Eigen::Vector3d& ball, double yaw, double pitch) {
  const Eigen::Matrix3d R_WS = so3::about_axis(2, yaw) * so3::about_axis(1, pitch);
  const Eigen::Matrix3d R_WF = R_WS * frame.R_FS.transpose();
  const bool on_heel = pitch < 0.0;
  const Eigen::Vector3d& standing = on_heel ? sole.heel : sole.ball;
  const Eigen::Vector3d place = on_heel ? Eigen::Vector3d(ball - frame.length * heading(yaw)) : ball;
  return {place - R_WF * standing, R_WF};
}

/// Returns a pose in stance, rolled about the line from heel to ball as the foot itself is, where it lies on
/// its side: a dancer's foot that rests on its toes alone has no sole on the floor, and levelling its roll
/// would turn it over. `share`: 0 where the foot lies flat, 1 on one point alone.
[[nodiscard]] inline FootPose with_own_roll(const FootPose& pose, const FootSole& sole,
                                            const SoleFrame& frame, const Eigen::Matrix3d& R_WF,
                                            double share) {
  constexpr double kRolls = 0.35, kLies = 0.8;  // [rad], 20 and 46 deg
  const Eigen::Matrix3d level =
      so3::about_axis(2, sole_yaw(R_WF, frame)) * so3::about_axis(1, sole_pitch(R_WF, frame));
  const Eigen::Matrix3d rest = level.transpose() * R_WF * frame.R_FS;
  const double roll = atan2(rest(2, 1), rest(1, 1));
  const double u = std::clamp((std::abs(roll) - kRolls) / (kLies - kRolls), 0.0, 1.0);
  const double weight = share * u * u * (3.0 - 2.0 * u);
  if (!(weight > 0.0)) return pose;
  const Eigen::Matrix3d R =
      pose.R_WF * frame.R_FS * so3::about_axis(0, weight * roll) * frame.R_FS.transpose();
  return {pose.p_WF + pose.R_WF * sole.ball - R * sole.ball, R};  // heel and ball stay
}

}  // namespace panto::detail
