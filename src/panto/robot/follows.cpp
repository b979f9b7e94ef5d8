#include "panto/robot/follows.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "panto/base/index.hpp"
#include "panto/math/decompositions.hpp"
#include "panto/model/kinematics.hpp"

namespace panto::robot {
namespace {

constexpr double kLeastRange = 1e-6;     // [rad], [m] of a joint that moves
constexpr std::size_t kPosedJoints = 7;  // of a limb; those after it move with the first ones
constexpr double kClearly = 1.001;       // ratio beyond rounding
constexpr double kNoTurn = 0.1;  // smaller singular values: the axes are too similar to rotate about both

// joints that rotate one body against the other; one whose limits coincide does not
std::vector<int> joints_of(const Model& model, int from, int to) {
  const Tree& tree = model.tree();
  std::vector<int> joints;
  while (from != to) {
    int& deeper = from > to ? from : to;  // level order: the deeper body has the larger index
    const bool moves = tree.dof[at(deeper)] >= 0 && can_move(model, tree.dof[at(deeper)]);
    if (tree.type[at(deeper)] == JointType::Revolute && moves) joints.push_back(deeper);
    deeper = tree.parent[at(deeper)];
  }
  return joints;
}

struct Span {
  int rank = 0;
  double least = 0.0;  // of the singular values that count
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
    span.least = eigen.values[i];
    span.share += eigen.vectors.col(i).cwiseAbs2();
  }
  span.share = span.share.cwiseSqrt().cwiseMin(1.0);
  return span;
}

double at_share(const Model& model, int dof, double share) {
  const double lower = model.lower()[dof], upper = model.upper()[dof];
  if (std::isfinite(lower) && std::isfinite(upper)) return lower + share * (upper - lower);
  return share < 0.5 ? -0.5 : 0.5;
}

}  // namespace

bool can_move(const Model& model, int dof) { return model.upper()[dof] - model.lower()[dof] >= kLeastRange; }

Eigen::Vector3d axes_that_follow(const Model& model, int from, int to, const Eigen::Matrix3d& R_SB) {
  const std::vector<int> joints = joints_of(model, from, to);
  if (joints.empty()) return Eigen::Vector3d::Zero();
  const Eigen::VectorXd zero = Eigen::VectorXd::Zero(model.dof());
  const Span here = span_at(model, joints, to, R_SB, zero);
  if (here.rank >= std::min<int>(3, static_cast<int>(joints.size()))) return here.share;
  // Distinct axes that coincide at zero: of poses at a quarter and three quarters of all ranges, the one in
  // which the axes are farthest from coinciding. The mirror image of such a pose is one of the twin's, so
  // both sides read alike.
  Span best = here;
  const std::size_t free = std::min(joints.size(), kPosedJoints);
  for (unsigned pose = 0; pose < (1U << free); ++pose) {
    Eigen::VectorXd s = zero;
    for (std::size_t k = 0; k < joints.size(); ++k) {
      const int dof = model.tree().dof[at(joints[k])];
      s[dof] = at_share(model, dof, (pose >> (k % free) & 1U) != 0 ? 0.75 : 0.25);
    }
    const Span there = span_at(model, joints, to, R_SB, s);
    const bool farther =
        there.rank == best.rank && best.rank > here.rank && there.least > kClearly * best.least;
    if (there.rank > best.rank || farther) best = there;
  }
  return best.share;
}

}  // namespace panto::robot
