#pragma once
// How far a pose is from its targets:
//
//   V = sum w_o (1 - cos theta) + 1/2 sum w_p |e|^2
//
// over the orientation and position rows that are valid: the potential whose stationary points inside the
// limits are the equilibria of the dynamical method for equal gains (theory: appendix of [Rapetti 2020]).

#include <Eigen/Core>
#include <vector>

#include "panto/ik/targets.hpp"
#include "panto/model/kinematics.hpp"

namespace panto {

/// The potential of one model with its gradient. The model must outlive it; no call allocates.
class PosePotential {
 public:
  explicit PosePotential(const Model& model);

  /// V at the pose of `kinematics`; relative error about 1e-15, also for small V.
  [[nodiscard]] static double value(const Targets& targets, const Kinematics& kinematics) noexcept;

  /// Derivatives of V: by the base's translation and by its rotation about its own origin (world axes, zero
  /// when it is fixed), and by the joints in State::s order. The orientation part is -w u sin(theta): exact,
  /// and zero at theta = 180 degrees.
  void update_gradient(const Targets& targets, const Kinematics& kinematics) noexcept;
  [[nodiscard]] const Eigen::Vector3d& base_linear() const noexcept { return base_linear_; }
  [[nodiscard]] const Eigen::Vector3d& base_angular() const noexcept { return base_angular_; }
  [[nodiscard]] const Eigen::VectorXd& joints() const noexcept { return joints_; }
  /// Derivative by a rotation of body i, and all behind it, about its own joint (world axes).
  [[nodiscard]] Eigen::Vector3d torque(int body, const Kinematics& kinematics) const noexcept;

 private:
  const Model* model_;
  std::vector<Eigen::Vector3d> force_, moment_;  // by body, of all that hangs on it; about the base origin
  Eigen::Vector3d base_linear_ = Eigen::Vector3d::Zero(), base_angular_ = Eigen::Vector3d::Zero();
  Eigen::VectorXd joints_;
};

}  // namespace panto
