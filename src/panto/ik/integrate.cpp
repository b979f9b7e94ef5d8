#include "panto/ik/integrate.hpp"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include "panto/math/euler.hpp"
#include "panto/math/vector_math.hpp"

namespace panto {
namespace {

constexpr double kReadBackMargin = 1e-9;    // [rad] a reading may exceed the bounds of its rates by this much
constexpr double kWorstSingularity = 0.05;  // |det S| below which a limited triple moves by its rates

std::size_t at(int i) { return static_cast<std::size_t>(i); }

Eigen::Matrix3d rotation_about(const Eigen::Vector3d& axis, double angle) noexcept {
  for (int k = 0; k < 3; ++k) {
    if (std::abs(axis[k]) == 1.0) return so3::about_axis(k, axis[k] * angle);
  }
  return so3::exp(angle * axis);
}

}  // namespace

Integrator::Integrator(const Model& model, Integration method) : model_(&model), method_(method) {
  R_.assign(at(model.tree().size()), Eigen::Matrix3d::Identity());
  p_.assign(R_.size(), Eigen::Vector3d::Zero());
}

bool Integrator::advance_triple(int g, const State& now, const Kinematics& kinematics,
                                const VelocityProblem& problem, const TreeSolution& solution,
                                const std::vector<signed char>& working_set, double dt,
                                State& next) noexcept {
  const Tree& tree = model_->tree();
  const JointGroup& group = tree.groups[at(g)];
  const bool ball = problem.is_ball(g);
  const int last = group.last();
  const Eigen::Matrix3d R_WC = so3::exp(dt * solution.omega[at(last)]) * kinematics.body_rotation()[at(last)];
  const Eigen::Matrix3d& R_WP = R_[at(tree.parent[at(group.body[0])])];
  const Eigen::Matrix3d R = group.A * (R_WP.transpose() * R_WC) * group.B;

  Eigen::Vector3d near;
  for (int k = 0; k < 3; ++k) {
    const int body = group.body[at(k)];
    if (working_set[at(body)] != 0) return false;
    near[k] = now.s[tree.dof[at(body)]] + (ball ? 0.0 : dt * solution.rate[at(body)]);
  }
  near[1] += group.mu;
  Eigen::Vector3d angles = euler::nearest(R, euler::XYZ, near);
  if (!ball && std::abs(sincos(angles[1]).cos) < kWorstSingularity) return false;
  angles[1] -= group.mu;

  // a limited triple must end where its rates were allowed to lead
  if (!ball) {
    for (int k = 0; k < 3; ++k) {
      const std::size_t i = at(group.body[at(k)]);
      const int dof = tree.dof[i];
      const double change = angles[k] - now.s[dof];
      if (change > problem.tree.upper[i] * dt + kReadBackMargin ||
          change < problem.tree.lower[i] * dt - kReadBackMargin)
        return false;
      if (angles[k] > model_->upper()[dof] || angles[k] < model_->lower()[dof]) return false;
    }
  }
  for (int k = 0; k < 3; ++k) next.s[tree.dof[at(group.body[at(k)])]] = angles[k];
  R_[at(last)] = R_WC;
  return true;
}

void Integrator::advance_joint(int body, double change, const State& now, State& next) noexcept {
  const Tree& tree = model_->tree();
  const int dof = tree.dof[at(body)];
  const double lower = model_->lower()[dof], upper = model_->upper()[dof], moved = now.s[dof] + change;
  double s = moved;
  // never from inside to outside; from outside never further out
  s = std::min(s, std::max(upper, now.s[dof]));
  s = std::max(s, std::min(lower, now.s[dof]));
  clamped_ += std::abs(s - moved) > 1e-12 ? 1 : 0;
  next.s[dof] = s;
  const Eigen::Matrix3d R_WJ = R_[at(tree.parent[at(body)])] * tree.R_PJ[at(body)];
  R_[at(body)] = tree.type[at(body)] == JointType::Revolute
                     ? Eigen::Matrix3d(R_WJ * rotation_about(tree.axis[at(body)], s))
                     : R_WJ;
}

void Integrator::advance(const State& now, const Kinematics& kinematics, const VelocityProblem& problem,
                         const TreeSolution& solution, const std::vector<signed char>& working_set, double dt,
                         State& next) noexcept {
  const Tree& tree = model_->tree();
  clamped_ = 0;
  const Eigen::Vector3d& omega = solution.omega[0];
  next.p_WB = now.p_WB + dt * solution.v_origin[0];
  if (method_ == Integration::SO3) {
    next.R_WB = so3::polar_step(so3::exp(dt * omega) * now.R_WB);
  } else {
    // Departure: Eq. (13) prints R (S(w) + A) with w in world axes; S(w) belongs on the left of R
    const Eigen::Matrix3d A =
        0.5 * ((now.R_WB.transpose() * now.R_WB).inverse() - Eigen::Matrix3d::Identity());
    next.R_WB = now.R_WB + dt * so3::hat(omega) * now.R_WB + now.R_WB * A;
  }
  R_[0] = next.R_WB;
  p_[0] = next.p_WB;
  for (std::size_t g = 0; g < tree.groups.size(); ++g) {
    const JointGroup& group = tree.groups[g];
    const bool as_rotation = method_ == Integration::SO3 && problem.is_triple(static_cast<int>(g));
    if (as_rotation &&
        advance_triple(static_cast<int>(g), now, kinematics, problem, solution, working_set, dt, next))
      continue;
    for (int k = 0; k < group.count; ++k) {
      const int body = group.body[at(k)];
      advance_joint(body, dt * solution.rate[at(body)], now, next);
    }
  }
  for (std::size_t i = 1; i < p_.size(); ++i) {
    const std::size_t parent = at(tree.parent[i]);
    p_[i] = p_[parent] + R_[parent] * tree.p_PJ[i];
    if (tree.type[i] == JointType::Prismatic) p_[i] += next.s[tree.dof[i]] * (R_[i] * tree.axis[i]);
  }
}

}  // namespace panto
