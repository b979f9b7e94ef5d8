#include "panto/ik/integrate.hpp"

#include <Eigen/LU>
#include <algorithm>
#include <array>
#include <cmath>

#include "panto/base/index.hpp"
#include "panto/math/euler.hpp"
#include "panto/math/vector_math.hpp"
#include "panto/model/joint_rotation.hpp"

namespace panto {
namespace {

constexpr double kReadBackMargin = 1e-9;    // [rad] a reading may exceed the bounds of its rates by this much
constexpr double kWorstSingularity = 0.05;  // |det S| below which a limited triple moves by its rates

}  // namespace

Integrator::Integrator(const Model& model, Integration method) : model_(&model), method_(method) {
  R_.assign(at(model.tree().size()), Eigen::Matrix3d::Identity());
  p_.assign(R_.size(), Eigen::Vector3d::Zero());
  triples_.resize(model.tree().groups.size());
  angle_.assign(R_.size(), 0.0);
  sin_ = cos_ = angle_;
}

namespace {

// `old` moved to the angle of the point (x, y), by the small turn between them; nothing when the turn is not
// small
bool follow(double y, double x, double sin_old, double cos_old, double& angle) noexcept {
  const double along = x * cos_old + y * sin_old, across = y * cos_old - x * sin_old;
  if (!(std::abs(across) < 0.4375 * along)) return false;
  angle += atan_small(across / along);
  return true;
}

// The angles of R = R_x(a) R_y(b) R_z(c) from those of a neighbouring reading: same branch, no whole turns to
// undo. False near the gimbal lock and for large turns, where `euler::nearest` decides.
bool read_neighbour(const Eigen::Matrix3d& R, const std::array<SinCos, 3>& old, Eigen::Vector3d& angles,
                    TripleAngles& at_angles) noexcept {
  const double side = old[1].cos < 0.0 ? -1.0 : 1.0;
  const double cos_b = std::sqrt(R(0, 0) * R(0, 0) + R(0, 1) * R(0, 1));
  if (cos_b < kWorstSingularity) return false;
  Eigen::Vector3d read = angles;
  if (!follow(-side * R(1, 2), side * R(2, 2), old[0].sin, old[0].cos, read[0])) return false;
  if (!follow(R(0, 2), side * cos_b, old[1].sin, old[1].cos, read[1])) return false;
  if (!follow(-side * R(0, 1), side * R(0, 0), old[2].sin, old[2].cos, read[2])) return false;
  angles = read;
  const double scale = side / cos_b;
  at_angles = {-scale * R(1, 2), scale * R(2, 2), R(0, 2), side * cos_b};
  return true;
}

}  // namespace

bool Integrator::advance_triple(int g, const State& now, const Kinematics& kinematics,
                                const VelocityProblem& problem, const TreeSolution& solution,
                                const std::vector<signed char>& working_set, double dt,
                                State& next) noexcept {
  const Tree& tree = model_->tree();
  const JointGroup& group = tree.groups[at(g)];
  const bool ball = problem.is_ball(g);
  for (const int body : group.body) {
    if (working_set[at(body)] != 0) return false;
  }
  const int last = group.last();
  const Eigen::Matrix3d R_WC = so3::exp(dt * solution.omega[at(last)]) * kinematics.body_rotation()[at(last)];
  Eigen::Matrix3d R = R_[at(tree.parent[at(group.body[0])])].transpose() * R_WC;
  if (!group.plain) R = group.A * R * group.B;

  Eigen::Vector3d angles;
  std::array<SinCos, 3> old{};
  for (int k = 0; k < 3; ++k) {
    const std::size_t i = at(group.body[at(k)]);
    angles[k] = now.s[tree.dof[i]];
    old[at(k)] = {kinematics.joint_sin()[i], kinematics.joint_cos()[i]};
  }
  TripleAngles& at_angles = triples_[at(g)];
  if (group.mu != 0.0) {
    old[1] = sincos(angles[1] + group.mu);
    angles[1] += group.mu;
  }
  if (!read_neighbour(R, old, angles, at_angles)) {
    angles = euler::nearest(R, euler::XYZ, angles);
    const SinCos a = sincos(angles[0]), b = sincos(angles[1]);
    at_angles = {a.sin, a.cos, b.sin, b.cos};
    if (!ball && std::abs(b.cos) < kWorstSingularity) return false;
  }
  angles[1] -= group.mu;

  // a limited triple must end where its rates were allowed to lead
  for (int k = 0; !ball && k < 3; ++k) {
    const std::size_t i = at(group.body[at(k)]);
    const int dof = tree.dof[i];
    const double change = angles[k] - now.s[dof];
    if (change > problem.tree.upper[i] * dt + kReadBackMargin ||
        change < problem.tree.lower[i] * dt - kReadBackMargin)
      return false;
    if (angles[k] > model_->upper()[dof] || angles[k] < model_->lower()[dof]) return false;
  }
  for (int k = 0; k < 3; ++k) next.s[tree.dof[at(group.body[at(k)])]] = angles[k];
  R_[at(last)] = R_WC;
  return true;
}

// never from inside to outside; from outside never further out
double Integrator::moved_joint(int body, double change, const State& now) noexcept {
  const int dof = model_->tree().dof[at(body)];
  const double moved = now.s[dof] + change;
  double s = std::min(moved, std::max(model_->upper()[dof], now.s[dof]));
  s = std::max(s, std::min(model_->lower()[dof], now.s[dof]));
  clamped_ += std::abs(s - moved) > 1e-12 ? 1 : 0;
  return s;
}

void Integrator::turn_body(int body) noexcept {
  const Tree& tree = model_->tree();
  const std::size_t i = at(body);
  Eigen::Matrix3d R_WJ = R_[at(tree.parent[i])];
  if (tree.aligned[i] == 0) R_WJ = R_[at(tree.parent[i])] * tree.R_PJ[i];
  R_[i] = tree.type[i] == JointType::Revolute
              ? rotated(R_WJ, tree.axis_code[i], tree.axis[i], sin_[i], cos_[i])
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

  // all joints by their rates, then free triples as one rotation
  bool any = false;
  for (std::size_t i = 1; i < angle_.size(); ++i) {
    if (problem.is_ball(tree.group[i])) continue;
    any = true;
    angle_[i] = next.s[tree.dof[i]] = moved_joint(static_cast<int>(i), dt * solution.rate[i], now);
  }
  if (any) sincos(angle_.data(), angle_.size(), sin_.data(), cos_.data());
  for (std::size_t g = 0; g < tree.groups.size(); ++g) {
    const JointGroup& group = tree.groups[g];
    const bool as_rotation = method_ == Integration::SO3 && problem.is_triple(static_cast<int>(g));
    if (as_rotation &&
        advance_triple(static_cast<int>(g), now, kinematics, problem, solution, working_set, dt, next))
      continue;
    for (int k = 0; k < group.count; ++k) turn_body(group.body[at(k)]);
  }
  for (std::size_t i = 1; i < p_.size(); ++i) {
    const std::size_t parent = at(tree.parent[i]);
    p_[i] = p_[parent];
    if (tree.coincident[i] == 0) p_[i] += R_[parent] * tree.p_PJ[i];
    if (tree.type[i] == JointType::Prismatic) p_[i] += next.s[tree.dof[i]] * (R_[i] * tree.axis[i]);
  }
}

}  // namespace panto
