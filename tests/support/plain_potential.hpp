#pragma once
// The potential of docs/algorithms/instantaneous.md and its gradient row by row and body by body: what the
// one by lanes is compared with.

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <vector>

#include "panto/base/index.hpp"
#include "panto/ik/target_velocity.hpp"
#include "panto/model/kinematics.hpp"

namespace panto::test {

/// The potential of one model with its gradient. The model must outlive it.
class PlainPotential {
 public:
  explicit PlainPotential(const Model& model)
      : model_(&model),
        force_(at(model.tree().size()), Eigen::Vector3d::Zero()),
        moment_(force_),
        joints_(Eigen::VectorXd::Zero(model.dof())) {}

  /// V at the pose of `kinematics`; relative error about 1e-15, also for small V.
  [[nodiscard]] static double value(const Targets& targets, const Kinematics& kinematics) {
    double sum = 0.0;
    for (const Target& row : targets.rows) {
      // 1 - cos(theta) = |R_target - R|^2 / 4, without cancellation
      if (row.has_orientation)
        sum += 0.25 * row.orientation_weight * (row.R_WF - kinematics.R_WL(row.link)).squaredNorm();
      if (row.has_position)
        sum += 0.5 * row.position_weight * (row.p_WF - kinematics.p_WL(row.link)).squaredNorm();
    }
    return sum;
  }

  /// Derivatives of V: by the base's translation and by its rotation about its own origin (world axes, zero
  /// when it is fixed), and by the joints in State::s order.
  void update_gradient(const Targets& targets, const Kinematics& kinematics) {
    const Tree& tree = model_->tree();
    const std::vector<Eigen::Vector3d>& p = kinematics.body_position();
    for (std::size_t i = 0; i < force_.size(); ++i) {
      force_[i].setZero();
      moment_[i].setZero();
    }
    for (const Target& row : targets.rows) {
      const std::size_t body = at(model_->frame(row.link).body);
      if (row.has_orientation)
        moment_[body] -=
            row.orientation_weight * orientation_residual(row.R_WF, kinematics.R_WL(row.link), false);
      if (row.has_position) {
        const Eigen::Vector3d p_WL = kinematics.p_WL(row.link);
        const Eigen::Vector3d f = row.position_weight * (p_WL - row.p_WF);
        force_[body] += f;
        moment_[body] += (p_WL - p[0]).cross(f);
      }
    }
    for (int i = tree.size() - 1; i > 0; --i) {
      const Eigen::Vector3d torque = moment_[at(i)] - (p[at(i)] - p[0]).cross(force_[at(i)]);
      const bool slider = tree.type[at(i)] == JointType::Prismatic;
      joints_[tree.dof[at(i)]] = kinematics.joint_axis()[at(i)].dot(slider ? force_[at(i)] : torque);
      force_[at(tree.parent[at(i)])] += force_[at(i)];
      moment_[at(tree.parent[at(i)])] += moment_[at(i)];
    }
    if (!model_->floating_base()) return;
    base_linear_ = force_[0];
    base_angular_ = moment_[0];
  }
  [[nodiscard]] const Eigen::Vector3d& base_linear() const { return base_linear_; }
  [[nodiscard]] const Eigen::Vector3d& base_angular() const { return base_angular_; }
  [[nodiscard]] const Eigen::VectorXd& joints() const { return joints_; }

 private:
  const Model* model_;
  std::vector<Eigen::Vector3d> force_, moment_;  // by body, of all that hangs on it; about the base origin
  Eigen::Vector3d base_linear_ = Eigen::Vector3d::Zero(), base_angular_ = Eigen::Vector3d::Zero();
  Eigen::VectorXd joints_;
};

}  // namespace panto::test
