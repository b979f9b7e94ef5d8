#include "panto/robot/follows.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "panto/base/index.hpp"
#include "panto/math/decompositions.hpp"
#include "panto/model/kinematics.hpp"

namespace panto::robot {
namespace {

constexpr double kNoTurn = 0.1;  // smaller singular values: the axes are too similar to rotate about both

// joints that rotate one body against the other
std::vector<int> joints_of(const Tree& tree, int from, int to) {
  std::vector<int> joints;
  while (from != to) {
    int& deeper = from > to ? from : to;  // level order: the deeper body has the larger index
    if (tree.type[at(deeper)] == JointType::Revolute) joints.push_back(deeper);
    deeper = tree.parent[at(deeper)];
  }
  return joints;
}

struct Span {
  int rank = 0;
  Eigen::Vector3d share = Eigen::Vector3d::Zero();
};

Span span_at(const Model& model, const std::vector<int>& joints, int to, const Eigen::Matrix3d& R_SB,
             const Eigen::VectorXd& s) {
  Kinematics kinematics(model);
  State state = rest_state(model);
  state.s = s;
  kinematics.update(state);
  Eigen::Matrix3Xd axes(3, static_cast<Eigen::Index>(joints.size()));
  const Eigen::Matrix3d R_SW = R_SB * kinematics.body_rotation()[at(to)].transpose();
  for (std::size_t i = 0; i < joints.size(); ++i)
    axes.col(static_cast<Eigen::Index>(i)) = R_SW * kinematics.joint_axis()[at(joints[i])];
  const SymmetricEigen<3> eigen = symmetric_eigen(Eigen::Matrix3d(axes * axes.transpose()));
  Span span;
  for (int i = 2; i >= 0 && eigen.values[i] >= kNoTurn * kNoTurn; --i) {
    ++span.rank;
    span.share += eigen.vectors.col(i).cwiseAbs2();
  }
  span.share = span.share.cwiseSqrt().cwiseMin(1.0);
  return span;
}

}  // namespace

Eigen::Vector3d axes_that_follow(const Model& model, int from, int to, const Eigen::Matrix3d& R_SB) {
  const std::vector<int> joints = joints_of(model.tree(), from, to);
  if (joints.empty()) return Eigen::Vector3d::Zero();
  const Eigen::VectorXd zero = Eigen::VectorXd::Zero(model.dof());
  Eigen::VectorXd middle = zero;
  for (const int joint : joints) {
    const int dof = model.tree().dof[at(joint)];
    const double lower = model.lower()[dof], upper = model.upper()[dof];
    const bool limited = std::isfinite(lower) && std::isfinite(upper);
    // no two joints at the same share of their range, so that distinct axes do not coincide
    middle[dof] = limited ? lower + (0.5 + 0.02 * (dof % 5)) * (upper - lower) : 0.4 + 0.1 * (dof % 5);
  }
  const Span here = span_at(model, joints, to, R_SB, zero);
  const Span there = span_at(model, joints, to, R_SB, middle);
  return here.rank >= there.rank ? here.share : there.share;
}

}  // namespace panto::robot
