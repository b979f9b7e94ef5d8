#pragma once
// Velocities by our kernel for one state and one pair of samples, to hold the peers' against: the step itself
// publishes other ones, those of the interval's end.

#include <Eigen/Core>

#include "panto/ik/dynamical.hpp"
#include "panto/ik/joint_limits.hpp"
#include "panto/ik/velocity_problem.hpp"
#include "panto/model/kinematics.hpp"
#include "panto/model/model.hpp"
#include "panto/model/state.hpp"
#include "panto/targets/targets.hpp"
#include "panto/tree_qp/active_set.hpp"

namespace panto {

struct Velocity {
  Eigen::Vector3d v_WB = Eigen::Vector3d::Zero(), w_WB = Eigen::Vector3d::Zero();
  Eigen::VectorXd sdot;
};

/// What every solver is given of one step.
struct StepData {
  double dt = 0.0;               ///< [s]
  double gain = 0.0;             ///< K_eff [1/s]
  Eigen::VectorXd lower, upper;  ///< bounds of the rates, by State::s order
};

/// The step from `state` to `now` for a model whose joints all have limits. @throws ConfigError for an option
/// that is out of range.
class KernelVelocity {
 public:
  KernelVelocity(const Model& model, const std::vector<Target>& rows, const DynamicalOptions& options);

  /// Interval, gain and bounds.
  [[nodiscard]] StepData data(const State& state, Time now) const;
  /// Local damping of the joints at `state` when every row takes part.
  [[nodiscard]] Eigen::VectorXd damping(const Targets& targets, const State& state);
  /// The minimiser; `before` was measured at the state's own instant.
  [[nodiscard]] Velocity solve(const Targets& before, const Targets& now, const State& state);

 private:
  [[nodiscard]] std::size_t slot(Eigen::Index dof) const;

  const Model* model_;
  DynamicalOptions options_;
  Kinematics kinematics_;
  VelocityProblem problem_;
  JointLimits limits_;
  ActiveSetSolver solver_;
  TreeSolution solution_;
};

}  // namespace panto
