#include "panto/retarget/limb_solver.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>

#include "panto/base/index.hpp"
#include "panto/math/so3.hpp"
#include "panto/math/vector_math.hpp"
#include "panto/model/joint_rotation.hpp"

namespace panto {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

constexpr int kIterations = 12;
constexpr double kAlike = 0.3;         // [1/rad^2] weight of the joint angles that a wish leaves open
constexpr double kAlikeEnd = 0.003;    // the same of the joints after the lower link, which are for the end
constexpr double kFirstDamping = 1.0;  // [1/rad^2]
constexpr double kStill = 1e-5;        // [rad] a shorter step ends the iteration
constexpr double kOnLimit = 1e-3;      // [rad]
constexpr double kOffLimit = 0.05;     // [rad]
constexpr double kLeadOut = 0.3;       // [rad] by which a joint on its limit is bent away from it
constexpr double kLongest = 0.5;       // [rad] of one joint in one iteration

using Vector = LimbSolver::Vector;
using Square = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, LimbSolver::kMost, LimbSolver::kMost>;

// Solves A x = b for the entries of x that are not held; held ones keep their value. A is positive definite;
// only its lower triangle is read. Plain Cholesky: Eigen's, of a size known at run time, took most of a step.
void solve_free(const Square& A, const Vector& b, const std::array<bool, LimbSolver::kMost>& held,
                Vector& x) noexcept {
  std::array<int, LimbSolver::kMost> free{};
  int n = 0;
  for (int i = 0; i < static_cast<int>(b.size()); ++i)
    if (!held[at(i)]) free[at(n++)] = i;
  std::array<std::array<double, LimbSolver::kMost>, LimbSolver::kMost> L;
  std::array<double, LimbSolver::kMost> y;
  for (int i = 0; i < n; ++i) {
    const int row = free[at(i)];
    double right = b[row];
    for (int k = 0; k < static_cast<int>(b.size()); ++k)
      if (held[at(k)]) right -= A(std::max(row, k), std::min(row, k)) * x[k];
    for (int j = 0; j <= i; ++j) {
      double sum = A(row, free[at(j)]);
      for (int k = 0; k < j; ++k) sum -= L[at(i)][at(k)] * L[at(j)][at(k)];
      L[at(i)][at(j)] = j < i ? sum / L[at(j)][at(j)] : std::sqrt(sum);
    }
    for (int k = 0; k < i; ++k) right -= L[at(i)][at(k)] * y[at(k)];
    y[at(i)] = right / L[at(i)][at(i)];
  }
  for (int i = n - 1; i >= 0; --i) {
    double sum = y[at(i)];
    for (int k = i + 1; k < n; ++k) sum -= L[at(k)][at(i)] * x[free[at(k)]];
    x[free[at(i)]] = sum / L[at(i)][at(i)];
  }
}

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
    // a knee or elbow that is a ball, as of a character, bends about its outermost axis alone
    const JointGroup& group = tree.groups[at(tree.group[at(step.body)])];
    const bool held = group.spherical && group.last() == lower && group.body[0] != step.body;
    if (moves && !held && tree.type[at(step.body)] == JointType::Revolute && dofs_.size() < at(kMost) &&
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
  angle_.resize(chain_.size());
  sin_ = cos_ = angle_;
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

bool LimbSolver::lead_out(const Eigen::VectorXd& like, const Eigen::VectorXd& lower,
                          const Eigen::VectorXd& upper, State& state) const noexcept {
  // 1: away from its lower limit, -1: from its upper one
  const auto away = [&](int j) {
    if (state.s[j] - model_->lower()[j] < kOnLimit && like[j] - model_->lower()[j] > kOffLimit) return 1.0;
    return model_->upper()[j] - state.s[j] < kOnLimit && model_->upper()[j] - like[j] > kOffLimit ? -1.0
                                                                                                  : 0.0;
  };
  if (std::all_of(dofs_.begin(), dofs_.end(), [&](int j) { return away(j) == 0.0; })) return false;
  for (const int j : dofs_) state.s[j] = std::clamp(like[j] + kLeadOut * away(j), lower[j], upper[j]);
  return true;
}

// Computes the pose of the end and its Jacobian.
void LimbSolver::update(const State& state) noexcept {
  const Tree& tree = model_->tree();
  for (std::size_t k = 0; k < chain_.size(); ++k) angle_[k] = state.s[tree.dof[at(chain_[k].body)]];
  sincos(angle_.data(), angle_.size(), sin_.data(), cos_.data());
  Matrix3d R = state.R_WB;
  Vector3d p = state.p_WB;
  std::array<Vector3d, kMost> place;
  for (std::size_t k = 0; k < chain_.size(); ++k) {
    const std::size_t i = at(chain_[k].body);
    p += R * tree.p_PJ[i];
    if (tree.aligned[i] == 0) R = Matrix3d(R * tree.R_PJ[i]);
    const int column = chain_[k].column;
    if (column >= 0) {
      place[at(column)] = p;
      J_.col(column).tail<3>() = R * tree.axis[i];
    }
    if (tree.type[i] == JointType::Prismatic) {
      p += angle_[k] * (R * tree.axis[i]);
    } else {
      R = rotated(R, tree.axis_code[i], tree.axis[i], sin_[k], cos_[k]);
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
// the rest. Joints without room are no part of the problem.
LimbSolver::Vector LimbSolver::bounded_step(const Problem& problem, double damping,
                                            const State& state) const noexcept {
  std::array<int, kMost> moves{};
  int n = 0;
  for (int i = 0; i < static_cast<int>(dofs_.size()); ++i)
    if (problem.lower[dofs_[at(i)]] < problem.upper[dofs_[at(i)]]) moves[at(n++)] = i;
  Square A(n, n);  // its lower triangle
  Vector b(n);
  for (int i = 0; i < n; ++i) {
    const int column = moves[at(i)], dof = dofs_[at(column)];
    const Eigen::Matrix<double, 6, 1> weighted = J_.col(column).cwiseProduct(weight_);
    for (int k = i; k < n; ++k) A(k, i) = J_.col(moves[at(k)]).dot(weighted);
    b[i] = off_.dot(weighted);
    A(i, i) += alike_[column] + damping;
    b[i] += alike_[column] * (problem.like[dof] - state.s[dof]);
  }
  std::array<bool, kMost> held{};
  Vector part = Vector::Zero(n);
  for (int round = 0; round < 3; ++round) {
    solve_free(A, b, held, part);
    bool more = false;
    for (int i = 0; i < n; ++i) {
      const int dof = dofs_[at(moves[at(i)])];
      const double bounded =
          std::clamp(part[i], problem.lower[dof] - state.s[dof], problem.upper[dof] - state.s[dof]);
      if (bounded != part[i] && !held[at(i)]) held[at(i)] = more = true;
      part[i] = bounded;
    }
    if (!more) break;
  }
  const double largest = n > 0 ? part.cwiseAbs().maxCoeff() : 0.0;
  const double share = largest > kLongest ? kLongest / largest : 1.0;
  Vector step = Vector::Zero(static_cast<Eigen::Index>(dofs_.size()));
  for (int i = 0; i < n; ++i) step[moves[at(i)]] = share * part[i];
  return step;
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
    if (step.cwiseAbs().maxCoeff() < kStill) break;
    if (next > cost) {  // too far
      for (std::size_t i = 0; i < dofs_.size(); ++i) state.s[dofs_[i]] = before[i];
      damping = std::max(kFirstDamping, 10.0 * damping);
      (void)evaluate(problem, state);
      continue;
    }
    cost = next;
    damping *= 0.1;
  }
}

}  // namespace panto
