#include "panto/retarget/limb_solver.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>

#include "panto/base/index.hpp"
#include "panto/math/so3.hpp"

namespace panto {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

constexpr int kIterations = 12;
constexpr double kAlike = 0.3;         // [1/rad^2] weight of the joint angles that a wish leaves open
constexpr double kAlikeEnd = 0.003;    // the same of the joints after the lower link, which are for the end
constexpr double kFirstDamping = 1.0;  // [1/rad^2]
constexpr double kStill = 1e-5;        // [rad] a shorter step ends the iteration
constexpr double kLongest = 0.5;       // [rad] of one joint in one iteration

}  // namespace

bool in_row(const Model& model, int dof) {
  const std::string& joint = model.joint_names()[at(dof)];
  const ModelSpec& spec = model.spec();
  const auto has = [&](const CoupledRow& row) {
    return std::any_of(row.terms.begin(), row.terms.end(),
                       [&](const CoupledRow::Term& term) { return term.joint == joint; });
  };
  return std::any_of(spec.rows.begin(), spec.rows.end(), has) ||
         std::any_of(spec.mimics.begin(), spec.mimics.end(),
                     [&](const Mimic& m) { return m.joint == joint || m.source == joint; });
}

LimbSolver::LimbSolver(const Model& model, const LimbLinks& links)
    : model_(&model), links_(links), end_(model.frame(links.end)) {
  const Tree& tree = model.tree();
  const int root = links.root < 0 ? 0 : model.frame(links.root).body;
  const int lower = links.lower < 0 ? -1 : model.frame(links.lower).body;
  for (int body = end_.body; body > 0; body = tree.parent[at(body)]) chain_.push_back({body, -1});
  std::reverse(chain_.begin(), chain_.end());
  bool moves = root == 0, after = false;
  std::vector<double> alike;
  for (Step& step : chain_) {
    const int dof = tree.dof[at(step.body)];
    if (moves && tree.type[at(step.body)] == JointType::Revolute && dofs_.size() < at(kMost) &&
        !in_row(model, dof)) {
      step.column = static_cast<int>(dofs_.size());
      dofs_.push_back(dof);
      alike.push_back(after ? kAlikeEnd : kAlike);
      if (!after) wrist_ = dofs_.size();
    }
    moves = moves || step.body == root;
    after = after || step.body == lower;
  }
  alike_ = Eigen::Map<const Eigen::VectorXd>(alike.data(), static_cast<Eigen::Index>(alike.size()));
  J_.resize(6, static_cast<Eigen::Index>(dofs_.size()));
  lower_ = model.lower();
  upper_ = model.upper();
}

void LimbSolver::turn_end(const Matrix3d& R_WL, State& state) noexcept {
  for (std::size_t i = 0; i < wrist_; ++i) lower_[dofs_[i]] = upper_[dofs_[i]] = state.s[dofs_[i]];
  LimbWish wish;  // joints may be anywhere: `like` is where they are
  wish.position = 0.0;
  wish.R_WL = R_WL;
  solve(wish, state.s, lower_, upper_, state);
}

// Computes the pose of the end and its Jacobian.
void LimbSolver::update(const State& state) noexcept {
  const Tree& tree = model_->tree();
  Matrix3d R = state.R_WB;
  Vector3d p = state.p_WB;
  std::array<Vector3d, kMost> place;
  for (const Step& step : chain_) {
    const std::size_t i = at(step.body);
    const double s = state.s[tree.dof[i]];
    p += R * tree.p_PJ[i];
    if (tree.aligned[i] == 0) R = R * tree.R_PJ[i];
    if (step.column >= 0) {
      place[at(step.column)] = p;
      J_.col(step.column).tail<3>() = R * tree.axis[i];
    }
    if (tree.type[i] == JointType::Prismatic) {
      p += s * (R * tree.axis[i]);
    } else {
      R = R * so3::exp(s * tree.axis[i]);
    }
  }
  p_WL_ = p + R * end_.p_BL;
  R_WL_ = R * end_.R_BL;
  for (int c = 0; c < static_cast<int>(J_.cols()); ++c)
    J_.col(c).head<3>() = Vector3d(J_.col(c).tail<3>()).cross(p_WL_ - place[at(c)]);
}

// Returns the cost at `state`: weighted squares of what the end misses, and of what joints are unlike.
double LimbSolver::evaluate(const Problem& problem, const State& state) noexcept {
  update(state);
  off_ << problem.wish.p_WL - p_WL_, so3::log(problem.wish.R_WL * R_WL_.transpose());
  double cost = off_.cwiseAbs2().dot(weight_);
  for (std::size_t i = 0; i < dofs_.size(); ++i) {
    const double unlike = problem.like[dofs_[i]] - state.s[dofs_[i]];
    cost += alike_[static_cast<Eigen::Index>(i)] * unlike * unlike;
  }
  return cost;
}

// Returns a Gauss-Newton step within the bounds: joints that would leave them stop there, the others share
// the rest.
LimbSolver::Vector LimbSolver::bounded_step(const Problem& problem, double damping,
                                            const State& state) const noexcept {
  const auto n = static_cast<Eigen::Index>(dofs_.size());
  Square A = J_.transpose() * weight_.asDiagonal() * J_;
  Vector b = J_.transpose() * weight_.cwiseProduct(off_);
  for (Eigen::Index i = 0; i < n; ++i) {
    const int dof = dofs_[static_cast<std::size_t>(i)];
    A(i, i) += alike_[i] + damping;
    b[i] += alike_[i] * (problem.like[dof] - state.s[dof]);
  }
  std::array<bool, kMost> held{};
  Vector step = Vector::Zero(n);
  for (int round = 0; round < 3; ++round) {
    Square M = A;
    Vector r = b;
    for (Eigen::Index i = 0; i < n; ++i) {
      if (!held[static_cast<std::size_t>(i)]) continue;
      r -= A.col(i) * step[i];
      M.row(i).setZero();
      M.col(i).setZero();
      M(i, i) = 1.0;
    }
    for (Eigen::Index i = 0; i < n; ++i)
      if (held[static_cast<std::size_t>(i)]) r[i] = step[i];
    step = M.llt().solve(r);
    bool more = false;
    for (Eigen::Index i = 0; i < n; ++i) {
      const int dof = dofs_[static_cast<std::size_t>(i)];
      const double bounded =
          std::clamp(step[i], problem.lower[dof] - state.s[dof], problem.upper[dof] - state.s[dof]);
      if (bounded != step[i] && !held[static_cast<std::size_t>(i)])
        held[static_cast<std::size_t>(i)] = more = true;
      step[i] = bounded;
    }
    if (!more) break;
  }
  const double largest = n > 0 ? step.cwiseAbs().maxCoeff() : 0.0;
  return largest > kLongest ? Vector(step * (kLongest / largest)) : step;
}

void LimbSolver::solve(const LimbWish& wish, const Eigen::VectorXd& like, const Eigen::VectorXd& lower,
                       const Eigen::VectorXd& upper, State& state) noexcept {
  const Problem problem{wish, like, lower, upper};
  weight_ << Vector3d::Constant(wish.position), Vector3d::Constant(wish.orientation);
  double cost = evaluate(problem, state), damping = 0.0;
  std::array<double, kMost> before{};
  for (int iteration = 0; iteration < kIterations && !dofs_.empty(); ++iteration) {
    const Vector step = bounded_step(problem, damping, state);
    for (std::size_t i = 0; i < dofs_.size(); ++i) {
      double& s = state.s[dofs_[i]];
      before[i] = s;
      s = std::clamp(s + step[static_cast<Eigen::Index>(i)], lower[dofs_[i]], upper[dofs_[i]]);
    }
    const double next = evaluate(problem, state);
    if (next > cost) {  // too far
      for (std::size_t i = 0; i < dofs_.size(); ++i) state.s[dofs_[i]] = before[i];
      damping = std::max(kFirstDamping, 10.0 * damping);
      (void)evaluate(problem, state);
      continue;
    }
    cost = next;
    damping *= 0.1;
    if (step.cwiseAbs().maxCoeff() < kStill) break;
  }
}

}  // namespace panto
