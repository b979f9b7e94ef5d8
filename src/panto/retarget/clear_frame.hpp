#pragma once
// What one frame asks of joints so that a robot's body stays out of itself (docs/algorithms/clearance.md).

#include <Eigen/Core>
#include <vector>

#include "panto/retarget/body_gaps.hpp"
#include "panto/retarget/limb_solver.hpp"
#include "panto/retarget/nearest_change.hpp"
#include "panto/robot/skeleton.hpp"

namespace panto {

/// Which joints give way, in State::s order.
struct GivingJoints {
  Eigen::VectorXd cost;   ///< of a change, > 0; infinite: the joint keeps its position
  std::vector<int> rank;  ///< a pair of capsules is moved by those of its lowest rank alone
};

/// Arms give way before legs; other joints and those that follow others keep their positions. Wrists cost
/// least, as they turn the hand alone.
[[nodiscard]] GivingJoints giving_joints(const Model& model, const robot::Skeleton& skeleton);
/// Arms alone, without joints in coupled rows.
[[nodiscard]] GivingJoints giving_arms(const Model& model, const robot::Skeleton& skeleton);

/// Returns the arms that have hands of their own.
[[nodiscard]] std::vector<LimbLinks> arms_of(const robot::Skeleton& skeleton);

/// The near pairs of a frame and their rows. No allocation after construction.
class ClearFrame {
 public:
  /// The model must outlive it. @throws ModelError for capsules or joints that do not fit.
  ClearFrame(const Model& model, const CapsuleBody& body, const std::vector<Obstacle>& obstacles,
             const GivingJoints& giving);

  /// Returns the joints that give way, as positions in State::s; vectors below are in their order.
  [[nodiscard]] const std::vector<int>& joints() const noexcept { return joints_; }
  [[nodiscard]] const BodyGaps& body() const noexcept { return gaps_; }
  [[nodiscard]] bool able() const noexcept { return !gaps_.empty() && !joints_.empty(); }

  /// Finds the pairs nearer than `near` [m] and returns the smallest distance of those that count; `near` if
  /// there are none.
  double update(const State& state, double near) noexcept;
  /// The same among the pairs with these keys alone (`BodyGap::key`).
  double update(const State& state, double near, std::span<const int> among) noexcept;
  /// Returns those pairs, valid until the next update.
  [[nodiscard]] std::span<const BodyGap> near_pairs() const noexcept { return near_pairs_; }
  /// Returns whether a pair is to be cleared: neither known to the motion nor beyond what joints move.
  [[nodiscard]] bool counts(const BodyGap& gap) const noexcept {
    return !gap.given && (gap.obstacle < 0 || moves_[static_cast<std::size_t>(gap.second)]);
  }
  /// Returns the root of the sum of squares of how much nearer than `margin` those pairs are [m].
  [[nodiscard]] double overlap(double margin) const noexcept;
  /// Returns how the joints that give way for a pair change its distance; valid until the next call.
  [[nodiscard]] const Eigen::VectorXd& row(const BodyGap& gap) noexcept;
  [[nodiscard]] NearestChange& change() noexcept { return change_; }

 private:
  [[nodiscard]] double smallest(double near) const noexcept;

  std::vector<int> joints_, rank_;
  std::vector<bool> moves_;  // by capsule
  BodyGaps gaps_;
  Kinematics kinematics_;
  NearestChange change_;
  std::span<const BodyGap> near_pairs_;
  Eigen::VectorXd gradient_, row_;
};

}  // namespace panto
