#pragma once
// The distance of a pose from its targets:
//
//   V = sum w_o (1 - cos theta) + 1/2 sum w_p |e|^2
//
// over the valid orientation and position rows: the potential whose stationary points inside the limits are
// the equilibria of the dynamical method for equal gains (theory: appendix of [Rapetti 2020]). Residuals,
// potential and gradient are by lane of a VelocityProblem, which holds the pose.

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
  /// `rows` fixes links and weights; weights of positions may change with the targets.
  PosePotential(const Model& model, const VelocityProblem& problem, const std::vector<Target>& rows);

  /// Reads the targets. Returns false if a number that is used is not finite.
  [[nodiscard]] bool take(const Targets& targets) noexcept;

  /// Computes V at the problem's pose, which is that of `state`; relative error about 1e-15, also for small
  /// V. All other results are for this pose.
  double update(const State& state) noexcept;
  /// Returns true if a row is off by 150 degrees or more.
  [[nodiscard]] bool any_far() const noexcept { return far_; }

  /// Computes the gradient, after `VelocityProblem::set_rows` at this pose. The orientation part is -w u
  /// sin(theta): exact, and zero at theta = 180 degrees.
  void update_gradient() noexcept;
  /// Adds the gradient of own targets, loaded at this pose.
  void add_gradient(const OwnRows& own) noexcept { own.add_gradient(joints_, base_linear_, base_angular_); }
  /// Return the gradient by the base's translation and by its rotation about its own origin (world axes, zero
  /// if it is fixed).
  [[nodiscard]] const Eigen::Vector3d& base_linear() const noexcept { return base_linear_; }
  [[nodiscard]] const Eigen::Vector3d& base_angular() const noexcept { return base_angular_; }
  /// Returns the gradient by joint slot. For a ball: by rotations about the world axes, which do not vanish
  /// in the gimbal lock of its angles.
  [[nodiscard]] const LaneArray<3>& joints() const noexcept { return joints_; }

  /// Fills `tree` with the step that removes the residuals. A row has weight w sin(theta)/theta and the
  /// wanted value u theta, so that the product is the exact gradient; `recover`: residuals beyond 150 degrees
  /// keep the length that they have there.
  void ask(TreeProblem& tree, bool recover) const noexcept;

  /// Fills `versine` and `origin_error` of the report.
  void report(const Targets& targets, StepReport& report) noexcept;

 private:
  struct Point {
    std::size_t row, lane;
    double weight;             // 0 if it is off
    Eigen::Vector3d residual;  // target minus model [m]
  };

  void soften_far() noexcept;
  void sum_rows(const LaneArray<3>& by_row, LaneArray<3>& by_block) const noexcept;
  void carry_to_base(const TreeProblem& tree) noexcept;

  const Model* model_;
  const VelocityProblem* problem_;
  TargetLanes lanes_;
  std::vector<Point> points_;
  std::vector<Eigen::Vector3d> place_;  // positions of points, by row [m]
  // by lane of rows: w u sin(theta), w sin(theta)/theta, cos(theta)
  LaneArray<3> pull_;
  LaneArray<1> stiffness_, cosine_;
  bool far_ = false;
  LaneArray<3> moment_, force_;  // by block, of everything that hangs on it; moments about the base origin
  LaneArray<3> joints_;
  LaneArray<1> turns_;  // 1, or 0 for a slider
  Eigen::Vector3d base_linear_ = Eigen::Vector3d::Zero(), base_angular_ = Eigen::Vector3d::Zero();
};

}  // namespace panto
