#pragma once
// Dynamical inverse kinematics: the target velocities are corrected by the pose residual, inverted under
// limits, and integrated. One iteration per sample. [Rapetti 2020, "Model-Based Real-Time Motion Tracking
// Using Dynamical Inverse Kinematics", Algorithms 13(10):266]
//
//   symbol   here                     meaning
//   x, v     Targets                  measured poses and velocities
//   h        Kinematics               pose of the model's links
//   K        Target::*_gain           correction gain
//   r        residual                 pose error, in world axes
//   nu       TreeSolution             base and joint velocities

#include <vector>

#include "panto/ik/active_set.hpp"
#include "panto/ik/dynamical_options.hpp"
#include "panto/ik/row_limits.hpp"
#include "panto/ik/solver.hpp"

namespace panto {

/// r_o = vee(sk(R_target R^T)), world axes: u sin(theta). Beyond 150 degrees its length stays sin(150 deg),
/// so that theta = 180 degrees is no equilibrium. Departure: Eq. (5) takes the residual in the link's axes
/// and adds it to a velocity in world axes; that does not converge.
[[nodiscard]] Eigen::Vector3d orientation_residual(const Eigen::Matrix3d& R_target, const Eigen::Matrix3d& R,
                                                   bool recover = true) noexcept;

class DynamicalSolver final : public Solver {
 public:
  /// `rows` fixes links, weights and gains of all Targets that will come. The model must outlive the solver.
  /// @throws ConfigError naming the option or row that is out of range.
  DynamicalSolver(const Model& model, const std::vector<Target>& rows, const DynamicalOptions& options);

  [[nodiscard]] StepStatus step(const Targets& targets, State& state) noexcept override;
  void prime(const Targets& targets) noexcept override;
  void set_velocities(const Targets& targets, State& state) noexcept override;
  [[nodiscard]] const StepReport& last_report() const noexcept override { return report_; }

  /// The velocity problem and answer of the last step, for oracles.
  [[nodiscard]] const TreeProblem& last_problem() const noexcept { return problem_.tree; }
  [[nodiscard]] const TreeSolution& last_solution() const noexcept { return solution_; }

 private:
  [[nodiscard]] StepStatus check(const Targets& targets, const State& state) const noexcept;
  void correct_velocities(const Targets& targets, double dt, bool from_previous) noexcept;
  [[nodiscard]] Eigen::Vector3d angular_velocity(const Target& now, const Target& before, double dt,
                                                 bool from_previous) const noexcept;
  [[nodiscard]] Eigen::Vector3d linear_velocity(const Target& now, const Target& before, double dt,
                                                bool from_previous) const noexcept;
  [[nodiscard]] double effective_gain(double gain, double dt) const noexcept;
  [[nodiscard]] bool invert() noexcept;
  void publish_velocities(const Targets& targets, State& next) noexcept;
  void keep_coupled_rates() noexcept;
  void fill_report(const Targets& targets) noexcept;

  const Model* model_;
  DynamicalOptions options_;
  Kinematics kinematics_;
  VelocityProblem problem_;
  JointLimits limits_;
  RowLimits row_limits_;
  Integrator integrator_;
  ActiveSetSolver tree_solver_;
  TreeSolution solution_, end_solution_;
  Eigen::VectorXd lower_, upper_;
  std::vector<Eigen::Vector3d> angular_, linear_;  // v* by row
  std::vector<double> clamp_rate_;
  Targets previous_;
  bool has_previous_ = false;
  State next_;
  StepReport report_;
};

}  // namespace panto
