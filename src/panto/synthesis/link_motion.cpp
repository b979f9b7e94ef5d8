#include "panto/synthesis/link_motion.hpp"

#include "panto/base/index.hpp"

namespace panto {

using Eigen::Vector3d;

Vector3d LinkMotion::acceleration_at(const Vector3d& p_L) const noexcept {
  const Vector3d l = R_WL * p_L;
  return a_WL + alpha_WL.cross(l) + w_WL.cross(w_WL.cross(l));
}

LinkMotions::LinkMotions(const Model& model) : kinematics_(model) {
  w_.assign(at(model.tree().size()), Vector3d::Zero());
  alpha_ = a_ = w_;
}

void LinkMotions::update(const State& state, const StateAcceleration& acceleration) noexcept {
  kinematics_.update(state);
  const Tree& tree = kinematics_.model().tree();
  const auto& p = kinematics_.body_position();
  w_[0] = state.w_WB;
  alpha_[0] = acceleration.alpha_WB;
  a_[0] = acceleration.a_WB;
  for (int k = 1; k < tree.size(); ++k) {
    const std::size_t i = at(k), parent = at(tree.parent[i]);
    const Vector3d& axis = kinematics_.joint_axis()[i];
    const Vector3d& w = w_[parent];
    const double rate = state.sdot[tree.dof[i]], change = acceleration.sddot[tree.dof[i]];
    const Vector3d l = p[i] - p[parent];
    w_[i] = w;
    alpha_[i] = alpha_[parent];
    a_[i] = a_[parent] + alpha_[parent].cross(l) + w.cross(w.cross(l));
    if (tree.type[i] == JointType::Revolute) {
      w_[i] += rate * axis;
      alpha_[i] += change * axis + rate * w.cross(axis);
    } else {
      a_[i] += change * axis + 2.0 * rate * w.cross(axis);
    }
  }
}

LinkMotion LinkMotions::link(int link) const noexcept {
  const LinkFrame& frame = kinematics_.model().frame(link);
  const std::size_t body = at(frame.body);
  LinkMotion motion{kinematics_.R_WL(link), kinematics_.p_WL(link), w_[body], alpha_[body], Vector3d::Zero()};
  const Vector3d l = motion.p_WL - kinematics_.body_position()[body];
  motion.a_WL = a_[body] + alpha_[body].cross(l) + w_[body].cross(w_[body].cross(l));
  return motion;
}

}  // namespace panto
