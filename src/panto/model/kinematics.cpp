#include "panto/model/kinematics.hpp"

#include <cmath>
#include <cstdlib>

#include "panto/base/index.hpp"
#include "panto/math/so3.hpp"
#include "panto/math/vector_math.hpp"
#include "panto/model/joint_rotation.hpp"

namespace panto {

Kinematics::Kinematics(const Model& model) : model_(&model) {
  const auto n = static_cast<std::size_t>(model.tree().size());
  R_.assign(n, Eigen::Matrix3d::Identity());
  p_.assign(n, Eigen::Vector3d::Zero());
  axis_ = w_ = v_ = p_;
  angle_.assign(n, 0.0);
  sin_ = cos_ = angle_;
}

void Kinematics::update(const State& state) noexcept {
  const Tree& tree = model_->tree();
  const int n = tree.size();
  for (int i = 1; i < n; ++i) angle_[at(i)] = state.s[tree.dof[at(i)]];
  sincos(angle_.data(), at(n), sin_.data(), cos_.data());

  R_[0] = state.R_WB;
  p_[0] = state.p_WB;
  for (int k = 1; k < n; ++k) {
    const std::size_t i = at(k), parent = at(tree.parent[i]);
    Eigen::Matrix3d R_WJ = R_[parent];
    if (tree.aligned[i] == 0) R_WJ = R_[parent] * tree.R_PJ[i];
    p_[i] = p_[parent];
    if (tree.coincident[i] == 0) p_[i] += R_[parent] * tree.p_PJ[i];
    const signed char code = tree.axis_code[i];
    if (code == 0) {
      axis_[i] = R_WJ * tree.axis[i];
    } else {
      axis_[i] = (code > 0 ? 1.0 : -1.0) * R_WJ.col(std::abs(code) - 1);
    }
    if (tree.type[i] == JointType::Revolute) {
      R_[i] = rotated(R_WJ, tree.axis_code[i], tree.axis[i], sin_[i], cos_[i]);
    } else {
      R_[i] = R_WJ;
      p_[i] += angle_[i] * axis_[i];
    }
  }
}

void Kinematics::update_with_velocities(const State& state) noexcept {
  update(state);
  const Tree& tree = model_->tree();
  w_[0] = state.w_WB;
  v_[0] = state.v_WB;
  for (int k = 1; k < tree.size(); ++k) {
    const std::size_t i = at(k), parent = at(tree.parent[i]);
    const double rate = state.sdot[tree.dof[i]];
    v_[i] = v_[parent] + w_[parent].cross(p_[i] - p_[parent]);
    w_[i] = w_[parent];
    (tree.type[i] == JointType::Revolute ? w_[i] : v_[i]) += rate * axis_[i];
  }
}

Eigen::Matrix3d Kinematics::R_WL(int link) const noexcept {
  const LinkFrame& frame = model_->frame(link);
  return frame.at_body ? R_[at(frame.body)] : Eigen::Matrix3d(R_[at(frame.body)] * frame.R_BL);
}

Eigen::Vector3d Kinematics::p_WL(int link) const noexcept {
  const LinkFrame& frame = model_->frame(link);
  return frame.at_body ? p_[at(frame.body)]
                       : Eigen::Vector3d(p_[at(frame.body)] + R_[at(frame.body)] * frame.p_BL);
}

Eigen::Vector3d Kinematics::w_WL(int link) const noexcept { return w_[at(model_->frame(link).body)]; }

Eigen::Vector3d Kinematics::v_WL(int link) const noexcept {
  const LinkFrame& frame = model_->frame(link);
  return v_[at(frame.body)] + w_[at(frame.body)].cross(R_[at(frame.body)] * frame.p_BL);
}

void Kinematics::jacobian(int link, Eigen::MatrixXd& J) const {
  const Tree& tree = model_->tree();
  J.setZero(6, model_->nv());
  const Eigen::Vector3d p_WL_ = p_WL(link);
  const int first = model_->floating_base() ? 6 : 0;
  if (first == 6) {
    J.block<3, 3>(0, 0).setIdentity();
    J.block<3, 3>(0, 3) = -so3::hat(p_WL_ - p_[0]);
    J.block<3, 3>(3, 3).setIdentity();
  }
  for (int i = model_->frame(link).body; i > 0; i = tree.parent[at(i)]) {
    const int column = first + tree.dof[at(i)];
    if (tree.type[at(i)] == JointType::Revolute) {
      J.block<3, 1>(0, column) = axis_[at(i)].cross(p_WL_ - p_[at(i)]);
      J.block<3, 1>(3, column) = axis_[at(i)];
    } else {
      J.block<3, 1>(0, column) = axis_[at(i)];
    }
  }
}

}  // namespace panto
