#pragma once
// One foot of a robot that follows a stream: where it stands, and how it gets there and away.

#include <Eigen/Core>
#include <array>
#include <span>
#include <vector>

#include "panto/motion/sole_frame.hpp"
#include "panto/retarget/feet_apart.hpp"
#include "panto/retarget/planted_leg.hpp"

namespace panto {

/// What is known of a foot in one frame of the window.
struct LiveFootFrame {
  Eigen::Vector3d arm = Eigen::Vector3d::Zero();       ///< from the base's origin to the foot's [m]
  Eigen::Matrix3d R_WF = Eigen::Matrix3d::Identity();  ///< before planting
  bool heel = false, ball = false;                     ///< in contact
  bool placed = false;                                 ///< it is known where the foot stands

  [[nodiscard]] bool stands() const noexcept { return heel || ball; }
};

/// The next touch-down in the window.
struct TouchDown {
  bool known = false;
  double in = 0.0;                                     ///< [s] from the last planned frame
  detail::FootPose free;                               ///< of the foot before planting
  Eigen::Vector3d velocity = Eigen::Vector3d::Zero();  ///< of the foot before planting [m/s]
};

/// Plans one foot, frame after frame: it stays where it stands, and between stances it is free but for a
/// correction that starts and ends smoothly.
class LiveFoot {
 public:
  LiveFoot(const Model& model, const robot::Skeleton& skeleton, int side);

  [[nodiscard]] std::size_t side() const noexcept { return side_; }
  [[nodiscard]] LimbSolver& leg() noexcept { return leg_; }
  /// Returns the weight of the foot's orientation in the last planned frame [1/rad^2].
  [[nodiscard]] double firmness() const noexcept { return foot_firmness(away_); }
  [[nodiscard]] const detail::FootPose& target() const noexcept { return target_; }
  [[nodiscard]] std::span<const Eigen::Vector3d> corners() const noexcept { return corners_; }

  void reset() noexcept;
  /// Returns the pose of a foot that is free, not under the floor.
  [[nodiscard]] detail::FootPose free_pose(const Eigen::Vector3d& base,
                                           const LiveFootFrame& foot) const noexcept;
  /// Places the coming stance: its ball on the floor, and its heading.
  void choose_place(const Eigen::Vector3d& ball, double yaw) noexcept;
  void move_place(const Eigen::Vector2d& way) noexcept { place_.head<2>() += way; }
  void forget_place() noexcept { chosen_ = false; }
  /// Returns where the foot stands, or will.
  [[nodiscard]] detail::FootPose standing(const LiveFootFrame& foot) const noexcept;
  [[nodiscard]] SolePlace sole_at(const detail::FootPose& pose) const noexcept {
    return {corners_, sole_.ball - sole_.heel, pose.p_WF, pose.R_WF};
  }
  /// Returns the ball's place and the heading of a foot at a pose.
  [[nodiscard]] Eigen::Vector3d ball(const detail::FootPose& pose) const noexcept;
  [[nodiscard]] double yaw(const detail::FootPose& pose) const noexcept;
  /// Prepares the next frame: a stance that begins without a place is where the foot comes to rest.
  void begin(const LiveFootFrame& foot, const detail::FootPose& free, bool joined) noexcept;
  /// Plans it. `joined`: it continues the one before. `swing`: correction that a free foot tends to [m].
  void plan(const LiveFootFrame& foot, const detail::FootPose& free, const TouchDown& next, double dt,
            bool joined, const Eigen::Vector3d& swing) noexcept;
  /// Moves the place after a leg that did not reach it; returns true the first time in a stance.
  bool let_go(const Eigen::Vector3d& missed) noexcept;

  [[nodiscard]] bool stood() const noexcept { return stood_; }

 private:
  using Vector6 = Eigen::Matrix<double, 6, 1>;  // position, then rotation vector, in world axes

  [[nodiscard]] static Vector6 between(const detail::FootPose& from, const detail::FootPose& to) noexcept;
  [[nodiscard]] static detail::FootPose moved(const detail::FootPose& from, const Vector6& by) noexcept;
  void stand(const LiveFootFrame& foot, double dt) noexcept;
  void swing(const detail::FootPose& free, const TouchDown& next, double dt,
             const Eigen::Vector3d& goal) noexcept;

  LimbSolver leg_;
  std::size_t side_;
  FootSole sole_;
  detail::SoleFrame frame_;
  std::vector<Eigen::Vector3d> corners_;

  bool stood_ = false, chosen_ = false, slipped_ = false;
  Eigen::Vector3d place_ = Eigen::Vector3d::Zero();  // of the ball on the floor
  double yaw_ = 0.0;
  double flat_ = 0.0;  // 1: flat, 0: its own pitch
  double away_ = 1.0;  // [s] from a stance
  detail::FootPose target_;
  Vector6 velocity_ = Vector6::Zero();  // of the target
  Vector6 offset_ = Vector6::Zero(), rate_ = Vector6::Zero();
  Vector6 rest_ = Vector6::Zero(), rest_rate_ = Vector6::Zero();  // of the target from where it stands
};

}  // namespace panto
