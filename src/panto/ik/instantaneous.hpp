#pragma once
// Instantaneous inverse kinematics of the whole body: solves every sample on its own, to convergence. Finds
// the pose that minimises
//
//   V = sum w_o (1 - cos theta) + 1/2 sum w_p |e|^2     inside the joint limits,
//
// starting from the State. Uses weights only: the pose error is not corrected at a rate, so gains have no
// effect. If all gains are equal, its poses are the equilibria of the dynamical method.

#include "panto/ik/pose_optimizer.hpp"
#include "panto/ik/solver.hpp"
#include "panto/ik/solver_options.hpp"
#include "panto/ik/state_velocities.hpp"

namespace panto {

class InstantaneousSolver final : public Solver {
 public:
  /// `rows` fixes links and weights of all later Targets, `own` the user's targets; uses velocity source,
  /// damping (of the velocities) and speed limit of `motion`. The model must outlive the solver. @throws
  /// ConfigError naming the option or row that is out of range; also as `check(own, model)` and `OwnRows`.
  InstantaneousSolver(const Model& model, const std::vector<Target>& rows, const DynamicalOptions& motion,
                      const InstantaneousOptions& options = {}, const OwnTargets& own = {});

  /// Makes a step. Returns Solved or Saturated (a joint presses against a limit), also at the iteration
  /// limit: the pose is inside the limits and no worse than the last one. `last_report().fallback_level`: 0
  /// stationary to the tolerance, 1 the same with the monotone method in some step, 2 iteration limit, 3
  /// stationary to rounding but not to the tolerance, 4 nothing finite: state held.
  [[nodiscard]] StepStatus step(const Targets& targets, State& state) noexcept override;
  void prime(const Targets& targets) noexcept override {
    previous_.prime(targets);
    velocities_.keep(targets);
  }
  void set_velocities(const Targets& targets, State& state) noexcept override;
  [[nodiscard]] const StepReport& last_report() const noexcept override { return report_; }

  /// Returns iterations and gradient of the last step.
  [[nodiscard]] const PoseOptimizer& optimizer() const noexcept { return optimizer_; }

 private:
  void report(const Targets& targets, PoseOutcome outcome) noexcept;

  const Model* model_;
  InstantaneousOptions options_;
  PoseOptimizer optimizer_;
  StateVelocities velocities_;
  JointLimits limits_;
  PreviousTargets previous_;
  Eigen::VectorXd lower_, upper_;
  State next_;
  StepReport report_;
};

}  // namespace panto
