#include "panto/inertial/chain_layout.hpp"

#include <Eigen/Cholesky>

#include "panto/base/index.hpp"
#include "panto/math/euler.hpp"
#include "panto/math/so3.hpp"

namespace panto {

using Eigen::Matrix3d;
using Eigen::Vector3d;

namespace {
constexpr int kInsideBall = -2;
constexpr double kLeast = 1e-6;  // damping of a triple's rates near its singularity
}  // namespace

ChainLayout::ChainLayout(const Model& model, Triples triples) : model_(&model), triples_(triples) {
  const Tree& tree = model.tree();
  step_of_body_.assign(at(tree.size()), -1);
  end_of_body_.assign(at(tree.size()), Matrix3d::Identity());
  ball_of_group_.assign(tree.groups.size(), -1);
  in_ball_.assign(at(model.dof()), 0);
  if (model.floating_base()) add_base();
  for (int body = 1; body < tree.size(); ++body) {
    const int group = tree.group[at(body)];
    if (!is_ball(group)) {
      add_body(body);
    } else if (tree.groups[at(group)].last() == body) {
      add_ball(group);
    } else {
      step_of_body_[at(body)] = kInsideBall;
    }
  }
}

bool ChainLayout::is_ball(int group) const noexcept {
  return triples_ == Triples::Balls && model_->tree().groups[at(group)].spherical;
}

// three shifts along the world's axes, then a ball
void ChainLayout::add_base() {
  for (int k = 0; k < 6; ++k) {
    Step step;
    step.unknown = k;
    step.parent = k - 1;
    step.slides = k < 3;
    step.axis = Vector3d::Unit(k % 3);
    step.axis_code = static_cast<signed char>(1 + k % 3);
    if (k == 3) step.reference = 0;
    steps_.push_back(step);
  }
  step_of_body_[0] = 5;
  balls_.push_back({{3, 4, 5}, -1});
}

void ChainLayout::add_body(int body) {
  const Tree& tree = model_->tree();
  const std::size_t i = at(body), parent = at(tree.parent[i]);
  Step step;
  step.unknown = model_->nv() - model_->dof() + tree.dof[i];
  step.parent = step_of_body_[parent];
  step.slides = tree.type[i] == JointType::Prismatic;
  step.R_PJ = end_of_body_[parent] * tree.R_PJ[i];
  step.p_PJ = end_of_body_[parent] * tree.p_PJ[i];
  step.axis = tree.axis[i];
  step.axis_code = tree.axis_code[i];
  step_of_body_[i] = static_cast<int>(steps_.size());
  steps_.push_back(step);
}

// R_PC = A^T R_x R_y R_z B^T  (JointGroup)
void ChainLayout::add_ball(int group) {
  const Tree& tree = model_->tree();
  const JointGroup& triple = tree.groups[at(group)];
  const std::size_t parent = at(tree.parent[at(triple.body[0])]);
  ball_of_group_[at(group)] = 1 + static_cast<int>(balls_.size()) - (model_->floating_base() ? 1 : 0);
  Ball ball;
  ball.group = group;
  for (int k = 0; k < 3; ++k) {
    Step step;
    step.unknown = model_->nv() - model_->dof() + tree.dof[at(triple.body[at(k)])];
    step.parent = k == 0 ? step_of_body_[parent] : static_cast<int>(steps_.size()) - 1;
    step.axis = Vector3d::Unit(k);
    step.axis_code = static_cast<signed char>(1 + k);
    if (k == 0) {
      step.R_PJ = end_of_body_[parent] * triple.A.transpose();
      step.p_PJ = end_of_body_[parent] * tree.p_PJ[at(triple.body[0])];
      step.reference = ball_of_group_[at(group)];
    }
    ball.unknown[at(k)] = step.unknown;
    in_ball_[at(tree.dof[at(triple.body[at(k)])])] = 1;
    steps_.push_back(step);
  }
  step_of_body_[at(triple.last())] = static_cast<int>(steps_.size()) - 1;
  end_of_body_[at(triple.last())] = triple.B.transpose();
  balls_.push_back(ball);
}

ChainLayout::Seat ChainLayout::seat(int link) const {
  const LinkFrame& frame = model_->frame(link);
  const int step = step_of_body_[at(frame.body)];
  if (step == kInsideBall) {
    throw ModelError("link '" + model_->link_names()[at(link)] + "' of model '" + model_->name() +
                     "' lies between two joints of a spherical triple, which move as one; use the link "
                     "before or after the triple, or Triples::Hinges");
  }
  const Matrix3d& end = end_of_body_[at(frame.body)];
  return {step, end * frame.R_BL, end * frame.p_BL};
}

ChainMotion ChainLayout::motion(const State& state, const StateAcceleration& acceleration) const {
  ChainMotion result;
  result.q = result.qdot = result.qddot = Eigen::VectorXd::Zero(unknowns());
  const std::size_t moving_base = model_->floating_base() ? 1 : 0;
  result.reference.assign(1 + balls_.size() - moving_base, Matrix3d::Identity());
  motion(state, acceleration, result);
  return result;
}

void ChainLayout::motion(const State& state, const StateAcceleration& acceleration,
                         ChainMotion& result) const noexcept {
  result.p_W = state.p_WB;
  result.reference[0] = state.R_WB;
  const int n = model_->dof();
  result.q.tail(n) = state.s;
  result.qdot.tail(n) = state.sdot;
  result.qddot.tail(n) = acceleration.sddot;
  if (model_->floating_base()) {
    const Matrix3d R_BW = state.R_WB.transpose();
    const Vector3d w_B = R_BW * state.w_WB, alpha_B = R_BW * acceleration.alpha_WB;
    result.q.head<6>().setZero();
    result.qdot.head<6>() << state.v_WB, w_B;
    result.qddot.head<6>() << acceleration.a_WB, alpha_B - ball::slopes(Vector3d::Zero(), w_B).M * w_B;
  }
  for (const Ball& ball : balls_) {
    if (ball.group < 0) continue;
    Vector3d q, qdot, qddot;
    for (int k = 0; k < 3; ++k) {
      const int u = ball.unknown[at(k)];
      q[k] = result.q[u], qdot[k] = result.qdot[u], qddot[k] = result.qddot[u];
    }
    q[1] += model_->tree().groups[at(ball.group)].mu;
    result.reference[at(reference_of(ball))] = euler::to_rotation(q, euler::XYZ);
    const ball::Rebased rebased = ball::rebase(q, qdot, qddot);
    for (int k = 0; k < 3; ++k) {
      const int u = ball.unknown[at(k)];
      result.q[u] = 0.0, result.qdot[u] = rebased.qdot[k], result.qddot[u] = rebased.qddot[k];
    }
  }
}

Matrix3d ChainLayout::rotation(const Ball& ball, const ChainMotion& motion) const noexcept {
  const auto& u = ball.unknown;
  const Vector3d q{motion.q[u[0]], motion.q[u[1]], motion.q[u[2]]};
  return motion.reference[at(reference_of(ball))] * euler::to_rotation(q, euler::XYZ);
}

ball::Rebased ChainLayout::rebase(const Ball& ball, ChainMotion& motion) const noexcept {
  Vector3d q, qdot, qddot;
  for (int k = 0; k < 3; ++k) {
    const int u = ball.unknown[at(k)];
    q[k] = motion.q[u], qdot[k] = motion.qdot[u], qddot[k] = motion.qddot[u];
  }
  Matrix3d& reference = motion.reference[at(reference_of(ball))];
  reference = so3::polar_step(reference * euler::to_rotation(q, euler::XYZ));
  const ball::Rebased rebased = ball::rebase(q, qdot, qddot);
  for (int k = 0; k < 3; ++k) {
    const int u = ball.unknown[at(k)];
    motion.q[u] = 0.0, motion.qdot[u] = rebased.qdot[k], motion.qddot[u] = rebased.qddot[k];
  }
  return rebased;
}

void ChainLayout::state(const ChainMotion& motion, State& result, double ahead) const noexcept {
  const int n = model_->dof(), first = model_->nv() - n;
  const auto rate = [&](int u) { return motion.qdot[u] + ahead * motion.qddot[u]; };
  const auto place = [&](int u) {
    return motion.q[u] + ahead * (motion.qdot[u] + 0.5 * ahead * motion.qddot[u]);
  };
  const auto three = [](const std::array<int, 3>& u, const auto& of) {
    return Vector3d{of(u[0]), of(u[1]), of(u[2])};
  };
  result.p_WB = motion.p_W;
  result.R_WB = motion.reference[0];
  result.v_WB.setZero();
  result.w_WB.setZero();
  for (int i = 0; i < n; ++i) {
    result.sdot[i] = rate(first + i);
    // joints of balls are errors, not angles; they keep their branch
    if (!in_ball_[at(i)]) result.s[i] = place(first + i);
  }
  for (const Ball& ball : balls_) {
    const auto& u = ball.unknown;
    const Vector3d q = three(u, place), w = ball::rates(q) * three(u, rate);
    const Matrix3d R = motion.reference[at(reference_of(ball))] * euler::to_rotation(q, euler::XYZ);
    if (ball.group < 0) {
      result.p_WB += three({0, 1, 2}, place);
      result.v_WB = three({0, 1, 2}, rate);
      result.R_WB = R;
      result.w_WB = R * w;
      continue;
    }
    const Vector3d mu{0.0, model_->tree().groups[at(ball.group)].mu, 0.0};
    const Vector3d before{result.s[u[0] - first], result.s[u[1] - first], result.s[u[2] - first]};
    const Vector3d angles = euler::nearest(R, euler::XYZ, before + mu);
    const Matrix3d E = ball::rates(angles);
    const Vector3d rates = (E.transpose() * E + kLeast * Matrix3d::Identity()).llt().solve(E.transpose() * w);
    for (int k = 0; k < 3; ++k) {
      result.s[u[at(k)] - first] = angles[k] - mu[k];
      result.sdot[u[at(k)] - first] = rates[k];
    }
  }
}

}  // namespace panto
