#pragma once
// How far a pose is from its targets:
//
//   V = sum w_o (1 - cos theta) + 1/2 sum w_p |e|^2
//
// over the orientation and position rows that are valid: the potential whose stationary points inside the
// limits are the equilibria of the dynamical method for equal gains (theory: appendix of [Rapetti 2020]).
// Residuals, potential and gradient by the lanes of a VelocityProblem, which holds the pose.

#include <Eigen/Core>
#include <vector>

#include "panto/ik/solver.hpp"
#include "panto/ik/target_lanes.hpp"
#include "panto/ik/velocity_problem.hpp"
#include "panto/targets/targets.hpp"

namespace panto {

/// The potential of one model with its gradient. Model and problem must outlive it; no call allocates.
class PosePotential {
 public:
  /// `rows` fixes links and weights; positions' weights may change with the targets.
  PosePotential(const Model& model, const VelocityProblem& problem, const std::vector<Target>& rows);

  /// What the pose shall come near to. False: a number that counts is not finite.
  [[nodiscard]] bool take(const Targets& targets) noexcept;

  /// V at the pose that the problem was set to, which is that of `state`; relative error about 1e-15, also
  /// for small V. What follows is of this pose.
  double update(const State& state) noexcept;
  /// A row is 150 degrees or more off.
  [[nodiscard]] bool any_far() const noexcept { return far_; }

  /// The gradient, after `VelocityProblem::set_rows` of this pose. The orientation part is -w u sin(theta):
  /// exact, and zero at theta = 180 degrees.
  void update_gradient() noexcept;
  /// Adds the gradient of own targets, loaded at this pose.
  void add_gradient(const OwnRows& own) noexcept { own.add_gradient(joints_, base_linear_, base_angular_); }
  /// By the base's translation and by its rotation about its own origin (world axes, zero when it is fixed).
  [[nodiscard]] const Eigen::Vector3d& base_linear() const noexcept { return base_linear_; }
  [[nodiscard]] const Eigen::Vector3d& base_angular() const noexcept { return base_angular_; }
  /// By joint's slot. Of a ball: by rotations about the world's axes, which do not vanish in the gimbal lock
  /// of its angles.
  [[nodiscard]] const LaneArray<3>& joints() const noexcept { return joints_; }

  /// Asks `tree` for the step that takes the residuals away. A row weighs w sin(theta)/theta and wants
  /// u theta, so that the product is the exact gradient; `recover`: residuals beyond 150 degrees keep the
  /// length that they have there.
  void ask(TreeProblem& tree, bool recover) const noexcept;

  /// Fills `versine` and `origin_error` of the report.
  void report(const Targets& targets, StepReport& report) noexcept;

 private:
  struct Point {
    std::size_t row, lane;
    double weight;             // 0 where it takes no part
    Eigen::Vector3d residual;  // target minus model [m]
  };

  void soften_far() noexcept;
  void sum_rows(const LaneArray<3>& by_row, LaneArray<3>& by_block) const noexcept;
  void carry_to_base(const TreeProblem& tree) noexcept;

  const Model* model_;
  const VelocityProblem* problem_;
  TargetLanes lanes_;
  std::vector<Point> points_;
  std::vector<Eigen::Vector3d> place_;  // of points, by row [m]
  // by lane of rows: w u sin(theta), w sin(theta)/theta, cos(theta)
  LaneArray<3> pull_;
  LaneArray<1> stiffness_, cosine_;
  bool far_ = false;
  LaneArray<3> moment_, force_;  // by block, of all that hangs on it; moments about the base origin
  LaneArray<3> joints_;
  LaneArray<1> turns_;  // 1, or 0 for a slider
  Eigen::Vector3d base_linear_ = Eigen::Vector3d::Zero(), base_angular_ = Eigen::Vector3d::Zero();
};

}  // namespace panto
