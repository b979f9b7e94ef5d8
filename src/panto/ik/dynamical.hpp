#pragma once
// Dynamical inverse kinematics: the target velocities are corrected by the pose residual, inverted under
// limits, and integrated. One iteration per sample. [Rapetti 2020, "Model-Based Real-Time Motion Tracking
// Using Dynamical Inverse Kinematics", Algorithms 13(10):266]
//
//   symbol   here                     meaning
//   x, v     Targets                  measured poses and velocities
//   h        BlockKinematics          pose of the model's links
//   K        Target::*_gain           correction gain
//   r        orientation_residual     pose error, in world axes
//   nu       TreeSolution             base and joint velocities

#include <vector>

#include "panto/ik/decoupled_solver.hpp"
#include "panto/ik/integrate.hpp"
#include "panto/ik/row_limits.hpp"
#include "panto/ik/solver.hpp"
#include "panto/ik/solver_options.hpp"
#include "panto/ik/target_lanes.hpp"
#include "panto/tree_qp/active_set.hpp"

namespace panto {

class DynamicalSolver final : public Solver {
 public:
  /// `rows` fixes links, weights and gains of all later Targets, `own` the user's targets. The model must
  /// outlive the solver. @throws ConfigError naming the option or row that is out of range; also as
  /// `check(own, model)` and `OwnRows`.
  DynamicalSolver(const Model& model, const std::vector<Target>& rows, const DynamicalOptions& options,
                  const OwnTargets& own = {});

  [[nodiscard]] StepStatus step(const Targets& targets, State& state) noexcept override;
  void prime(const Targets& targets) noexcept override;
  void set_velocities(const Targets& targets, State& state) noexcept override;
  [[nodiscard]] std::vector<int> row_of_lane() const override { return lanes_.row_of_lane(); }
  [[nodiscard]] const StepReport& last_report() const noexcept override { return report_; }

  /// Returns the velocity problem and answer of the last step, for oracles. If the bodies of a step settled
  /// (`VelocityProblem::settles`), the problem is that of an earlier step unless `keep_problem` is on; its
  /// bounds may be narrower than those of the limit law.
  [[nodiscard]] const TreeProblem& last_problem() const noexcept { return problem_.tree; }
  [[nodiscard]] const TreeSolution& last_solution() const noexcept { return solution_; }

 private:
  [[nodiscard]] StepStatus check(const Targets& targets, const State& state) noexcept;
  [[nodiscard]] bool invert() noexcept;
  [[nodiscard]] bool accept_settled(bool inner) noexcept;
  [[nodiscard]] bool settle(double dt) noexcept;
  [[nodiscard]] bool search_settled() noexcept;
  [[nodiscard]] bool settle_again() noexcept;
  void take_status(TreeStatus status) noexcept;
  void correct(const State& state, double dt) noexcept;
  void build_problem(const Targets& targets, const State& state, double dt, double residual_share) noexcept;
  [[nodiscard]] bool find_velocities(const Targets& targets, const State& state, double dt) noexcept;
  void publish_velocities(State& next) noexcept;
  void keep_coupled_rates() noexcept;
  [[nodiscard]] bool next_is_finite() const noexcept;
  void fill_report(const Targets& targets) noexcept;
  [[nodiscard]] double residual_share(const State& state, double dt) noexcept;

  const Model* model_;
  DynamicalOptions options_;
  VelocityProblem problem_;
  TargetLanes lanes_;
  JointLimits limits_;  // by slot
  RowLimits row_limits_;
  Integrator integrator_;
  ActiveSetSolver solver_;
  DecoupledSolver settled_solver_;
  TreeSolution solution_, end_solution_;
  TreeSolution own_solution_, own_end_;  // of `settle_again`
  bool settled_ = false;                 // solution_ is the decoupled solver's
  bool narrowed_ = false;                // by bounds inside those of the limit law
  bool rates_at_end_ = false;            // end_solution_ has the velocities at the interval's end
  std::vector<Eigen::Vector3d> place_;   // of rows with a position [m]
  std::vector<double> versine_;          // of the rows before the step
  LaneArray<3> omega_before_, rate_;
  bool rates_finite_ = true;
  State next_;
  StepReport report_;
};

}  // namespace panto
