#pragma once
// The textbook baseline: inverts the corrected target velocities with a dense, damped pseudo-inverse of the
// whole Jacobian; limits are met by clamping afterwards.
//
//   nu = (J'WJ + lambda^2 I)^-1 J'W v*,   the same as J'(J J' + lambda^2 I)^-1 v* for W = I
//
//   symbol   here         meaning
//   J        J_           Jacobian of all rows, times sqrt(weight)
//   W        Target::*    weights
//   v*       rhs_         corrected target velocities, times sqrt(weight)
//   lambda   damping()    damping of every velocity
//   sigma    sigma_       smallest singular value

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/QR>
#include <vector>

#include "panto/ik/joint_limits.hpp"
#include "panto/ik/pose_rows.hpp"
#include "panto/ik/solver.hpp"
#include "panto/ik/solver_options.hpp"
#include "panto/ik/target_velocity.hpp"

namespace panto {

class DampedJacobianSolver final : public Solver {
 public:
  /// `rows` fixes links, weights and gains of all later Targets; uses gains, pairing, velocity source and
  /// limits of `motion`. The model must outlive the solver. @throws ConfigError naming the option or row that
  /// is out of range.
  DampedJacobianSolver(const Model& model, const std::vector<Target>& rows, const DynamicalOptions& motion,
                       const DampedJacobianOptions& options = {});

  /// Makes a step. Saturated if a joint's velocity was clipped. The other joints are not solved again, so the
  /// clipped part is lost.
  [[nodiscard]] StepStatus step(const Targets& targets, State& state) noexcept override;
  void prime(const Targets& targets) noexcept override { previous_.prime(targets); }
  void set_velocities(const Targets& targets, State& state) noexcept override;
  [[nodiscard]] const StepReport& last_report() const noexcept override { return report_; }

  /// Returns lambda^2 of the last step.
  [[nodiscard]] double damping() const noexcept { return damping_; }
  /// Returns the smallest singular value of the last step (Adaptive only), of the min(rows, columns) that are
  /// not zero by structure.
  [[nodiscard]] double sigma() const noexcept { return sigma_; }

 private:
  void linearise(const Targets& targets) noexcept;
  [[nodiscard]] bool factor() noexcept;
  void adapt() noexcept;
  void invert() noexcept;
  void invert_plain() noexcept;
  void correct(const Targets& targets, Time since, double dt) noexcept;
  [[nodiscard]] bool take_rates(const Targets& targets) noexcept;
  void integrate(double dt, const State& state) noexcept;
  void publish(State& next) noexcept;

  const Model* model_;
  DynamicalOptions motion_;
  DampedJacobianOptions options_;
  Kinematics kinematics_;
  JointLimits limits_;
  PoseRows rows_;
  PreviousTargets previous_;
  std::vector<Eigen::Index> orientation_row_, position_row_;  // first of three rows of J by target; -1: none
  Eigen::MatrixXd J_link_, J_, H_;                            // (6 x nv), (m x nv), (nv x nv) lower half
  Eigen::VectorXd rhs_, nu_, gradient_, lower_, upper_;       // (m), (nv), (nv), rates' bounds (dof)
  Eigen::VectorXd from_, to_;                                 // reachable joint positions (dof)
  Eigen::LLT<Eigen::MatrixXd> cholesky_;
  Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen_;
  Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> orthogonal_;
  double damping_ = 0.0, sigma_ = 0.0;
  State next_;
  StepReport report_;
};

}  // namespace panto
