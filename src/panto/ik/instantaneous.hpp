#pragma once
// Instantaneous inverse kinematics of the whole body: every sample on its own, to convergence. The pose that
// minimises
//
//   V = sum w_o (1 - cos theta) + 1/2 sum w_p |e|^2     inside the joint limits,
//
// begun from the State. Weights only: an error of the pose is not corrected at a rate, so gains have no part
// in it. Where all gains are equal, its poses are the equilibria of the dynamical method.

#include "panto/ik/solver_options.hpp"
#include "panto/ik/pose_optimizer.hpp"
#include "panto/ik/solver.hpp"
#include "panto/ik/state_velocities.hpp"

namespace panto {

class InstantaneousSolver final : public Solver {
 public:
  /// `rows` fixes links and weights of all Targets that will come, `own` what they ask for besides; of
  /// `motion` the velocity source, the damping (of the velocities) and the speed limit count. The model must
  /// outlive the solver.
  /// @throws ConfigError naming the option or row that is out of range; what `check(own, model)` and
  /// `OwnRows` throw.
  InstantaneousSolver(const Model& model, const std::vector<Target>& rows, const DynamicalOptions& motion,
                      const InstantaneousOptions& options = {}, const OwnTargets& own = {});

  /// Solved or Saturated (a joint presses against a limit) also when the iterations ran out: the pose is
  /// inside the limits and no worse than the last one. `last_report().fallback_level`: 0 stationary to the
  /// tolerance, 1 the same with the monotone method in some step, 2 cap of iterations, 3 stationary to
  /// rounding but not to the tolerance, 4 nothing finite: state held.
  [[nodiscard]] StepStatus step(const Targets& targets, State& state) noexcept override;
  void prime(const Targets& targets) noexcept override {
    previous_.prime(targets);
    velocities_.keep(targets);
  }
  void set_velocities(const Targets& targets, State& state) noexcept override;
  [[nodiscard]] const StepReport& last_report() const noexcept override { return report_; }

  /// Iterations and gradient of the last step.
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
