#include "panto/ik/pose_potential.hpp"

#include <Eigen/Geometry>

#include "panto/base/index.hpp"
#include "panto/ik/target_velocity.hpp"

namespace panto {

PosePotential::PosePotential(const Model& model)
    : model_(&model),
      force_(at(model.tree().size()), Eigen::Vector3d::Zero()),
      moment_(force_),
      joints_(Eigen::VectorXd::Zero(model.dof())) {}

double PosePotential::value(const Targets& targets, const Kinematics& kinematics) noexcept {
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

void PosePotential::update_gradient(const Targets& targets, const Kinematics& kinematics) noexcept {
  const Tree& tree = model_->tree();
  const std::vector<Eigen::Vector3d>& p = kinematics.body_position();
  for (std::size_t i = 0; i < force_.size(); ++i) {
    force_[i].setZero();
    moment_[i].setZero();
  }
  for (const Target& row : targets.rows) {
    const std::size_t body = at(model_->frame(row.link).body);
    if (row.has_orientation && row.orientation_weight > 0.0)
      moment_[body] -=
          row.orientation_weight * orientation_residual(row.R_WF, kinematics.R_WL(row.link), false);
    if (row.has_position && row.position_weight > 0.0) {
      const Eigen::Vector3d p_WL = kinematics.p_WL(row.link);
      const Eigen::Vector3d f = row.position_weight * (p_WL - row.p_WF);
      force_[body] += f;
      moment_[body] += (p_WL - p[0]).cross(f);
    }
  }
  for (int i = tree.size() - 1; i > 0; --i) {
    const bool slider = tree.type[at(i)] == JointType::Prismatic;
    joints_[tree.dof[at(i)]] =
        kinematics.joint_axis()[at(i)].dot(slider ? force_[at(i)] : torque(i, kinematics));
    force_[at(tree.parent[at(i)])] += force_[at(i)];
    moment_[at(tree.parent[at(i)])] += moment_[at(i)];
  }
  if (!model_->floating_base()) return;
  base_linear_ = force_[0];
  base_angular_ = moment_[0];
}

Eigen::Vector3d PosePotential::torque(int body, const Kinematics& kinematics) const noexcept {
  const std::vector<Eigen::Vector3d>& p = kinematics.body_position();
  return moment_[at(body)] - (p[at(body)] - p[0]).cross(force_[at(body)]);
}

}  // namespace panto
