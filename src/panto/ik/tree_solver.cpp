#include "panto/ik/tree_solver.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "panto/math/so3.hpp"

namespace panto {
namespace {

constexpr double kTinyPivot =
    1e-300;  // a joint without information and without damping stays where its bound allows

}  // namespace

TreeProblem::TreeProblem(const Tree& tree, bool floating, std::size_t point_rows)
    : floating_base(floating), parent(tree.parent) {
  const std::size_t n = parent.size();
  angular.assign(n, Eigen::Vector3d::Zero());
  linear = orientation_rhs = angular;
  lambda.assign(n, 0.0);
  reference = orientation_weight = lambda;
  lower.assign(n, -kInfinity);
  upper.assign(n, kInfinity);
  points.resize(point_rows);
}

void TreeSolution::add(double factor, const TreeSolution& other) noexcept {
  for (std::size_t i = 0; i < rate.size(); ++i) {
    rate[i] += factor * other.rate[i];
    rho[i] += factor * other.rho[i];
    omega[i] += factor * other.omega[i];
    v_origin[i] += factor * other.v_origin[i];
  }
}

TreeSolver::TreeSolver(const TreeProblem& problem) : n_(problem.parent.size()) {
  six_.assign(n_, 0);
  role_.assign(n_, Role::Joint);
  ball_of_first_.assign(n_, -1);
  coupled_ = held_ = six_;
  K3_.assign(n_, Eigen::Matrix3d::Zero());
  b3_.assign(n_, Eigen::Vector3d::Zero());
  joint_.assign(n_, Joint3{Eigen::Vector3d::Zero(), 0.0, 0.0});
  K6_.assign(n_, Matrix6::Zero());
  b6_.assign(n_, Vector6::Zero());
  joint6_.assign(n_, Joint6{Vector6::Zero(), Vector6::Zero()});
  curvature_.assign(n_, 0.0);
  no_rate_ = curvature_;
}

TreeSolution TreeSolver::make_solution() const {
  TreeSolution solution;
  solution.rate.assign(n_, 0.0);
  solution.rho = solution.rate;
  solution.omega.assign(n_, Eigen::Vector3d::Zero());
  solution.v_origin = solution.omega;
  return solution;
}

// Only ancestors of a point row need the linear half of the velocity; below the last one the angular
// recursion is exact.
void TreeSolver::mark_six(const TreeProblem& problem) noexcept {
  std::fill(six_.begin(), six_.end(), static_cast<unsigned char>(0));
  base_six_ = false;
  for (const PointRow& row : problem.points) {
    if (!(row.weight > 0.0)) continue;
    for (int i = row.body; i > 0; i = problem.parent[static_cast<std::size_t>(i)])
      six_[static_cast<std::size_t>(i)] = 1;
    base_six_ = base_six_ || row.body > 0 || !row.point.isZero(0.0);
  }
}

// [performance, section 3.4] Where the three undamped unknowns of a ball reach every angular velocity of a
// body with a target, the subtree's cost no longer depends on the body before: the recursion stops there,
// exactly.
void TreeSolver::mark_balls(const TreeProblem& problem) noexcept {
  for (std::size_t b = 0; b < problem.balls.size(); ++b) {
    const auto first = static_cast<std::size_t>(problem.balls[b][0]),
               middle = static_cast<std::size_t>(problem.balls[b][1]),
               last = static_cast<std::size_t>(problem.balls[b][2]);
    const bool absorbs = six_[last] == 0 && problem.orientation_weight[last] > 0.0 &&
                         problem.lambda[first] == 0.0 && problem.lambda[middle] == 0.0 &&
                         problem.lambda[last] == 0.0;
    role_[first] = absorbs ? Role::BallFirst : Role::Joint;
    role_[middle] = absorbs ? Role::BallMiddle : Role::Joint;
    role_[last] = absorbs ? Role::BallLast : Role::Joint;
    ball_of_first_[first] = static_cast<int>(b);
  }
}

// Every body's own targets: K = sum w A'A, b = sum w A'c, with A = [0, I] for an orientation and [I, -hat(r)]
// for a point.
void TreeSolver::load(const TreeProblem& problem) noexcept {
  for (std::size_t i = 0; i < n_; ++i) {
    coupled_[i] = 0;
    if (six_[i] != 0 || (i == 0 && base_six_)) {
      K6_[i].setZero();
      K6_[i].diagonal().tail<3>().setConstant(problem.orientation_weight[i]);
    } else {
      K3_[i].setZero();
      K3_[i].diagonal().setConstant(problem.orientation_weight[i]);
    }
  }
  for (const PointRow& row : problem.points) {
    const auto i = static_cast<std::size_t>(row.body);
    if (!(row.weight > 0.0) || (i == 0 && !base_six_)) continue;
    const Eigen::Matrix3d r = so3::hat(row.point);
    K6_[i].topLeftCorner<3, 3>().diagonal().array() += row.weight;
    K6_[i].topRightCorner<3, 3>() -= row.weight * r;
    K6_[i].bottomLeftCorner<3, 3>() += row.weight * r;
    K6_[i].bottomRightCorner<3, 3>() -= row.weight * r * r;
  }
}

void TreeSolver::load_rhs(const TreeProblem& problem) noexcept {
  for (std::size_t i = 0; i < n_; ++i) {
    if (six_[i] != 0 || (i == 0 && base_six_)) {
      b6_[i] << Eigen::Vector3d::Zero(), problem.orientation_rhs[i];
    } else {
      b3_[i] = problem.orientation_rhs[i];
    }
  }
  for (const PointRow& row : problem.points) {
    const auto i = static_cast<std::size_t>(row.body);
    if (!(row.weight > 0.0) || (i == 0 && !base_six_)) continue;
    b6_[i].head<3>() += row.weight * row.velocity;
    b6_[i].tail<3>() += row.weight * row.point.cross(row.velocity);
  }
}

void TreeSolver::clear_rhs() noexcept {
  for (std::size_t i = 0; i < n_; ++i) {
    if (six_[i] != 0 || (i == 0 && base_six_)) {
      b6_[i].setZero();
    } else {
      b3_[i].setZero();
    }
  }
}

// From the leaves to the base. The subtree's value function V'KV/2 - b'V is minimised over its own joint:
// u = K S, d = S'u + lambda, s = S'b + lambda ref; free: K - u u'/d, b - (s/d) u; clamped at beta: K, b -
// beta u.
void TreeSolver::backward(const TreeProblem& problem, const std::vector<double>& clamp_rate) noexcept {
  for (std::size_t i = n_ - 1; i > 0; --i) {
    const auto parent = static_cast<std::size_t>(problem.parent[i]);
    Joint3& joint = joint_[i];
    if (role_[i] != Role::Joint) continue;
    coupled_[parent] = 1;
    const bool free = held_[i] == 0;
    if (six_[i] == 0) {
      const Eigen::Vector3d& a = problem.angular[i];
      const Eigen::Matrix3d& K = K3_[i];
      joint.u.noalias() = K * a;
      curvature_[i] = std::max(a.dot(joint.u) + problem.lambda[i], kTinyPivot);
      joint.s = a.dot(b3_[i]) + problem.lambda[i] * problem.reference[i];
      joint.inv_d = 1.0 / curvature_[i];
      const double h = free ? joint.inv_d : 0.0;
      const double g = free ? joint.s * joint.inv_d : clamp_rate[i];
      const Eigen::Vector3d hu = h * joint.u;
      if (six_[parent] != 0 || (parent == 0 && base_six_)) {
        K6_[parent].bottomRightCorner<3, 3>() += K - hu * joint.u.transpose();
        b6_[parent].tail<3>() += b3_[i] - g * joint.u;
      } else {
        K3_[parent] += K - hu * joint.u.transpose();
        b3_[parent] += b3_[i] - g * joint.u;
      }
    } else {
      Joint6& six = joint6_[i];
      six.S << problem.linear[i], problem.angular[i];
      six.u.noalias() = K6_[i] * six.S;
      curvature_[i] = std::max(six.S.dot(six.u) + problem.lambda[i], kTinyPivot);
      joint.s = six.S.dot(b6_[i]) + problem.lambda[i] * problem.reference[i];
      joint.inv_d = 1.0 / curvature_[i];
      const double h = free ? joint.inv_d : 0.0;
      const double g = free ? joint.s * joint.inv_d : clamp_rate[i];
      const Vector6 hu = h * six.u;
      K6_[parent].noalias() += K6_[i] - hu * six.u.transpose();
      b6_[parent] += b6_[i] - g * six.u;
    }
  }
}

// The same for b alone, with the stored u and d; `source(i)` is what acts on joint i itself.
template <class Source>
void TreeSolver::backward_rhs(const TreeProblem& problem, const std::vector<double>& clamp_rate,
                              Source source) noexcept {
  for (std::size_t i = n_ - 1; i > 0; --i) {
    const auto parent = static_cast<std::size_t>(problem.parent[i]);
    Joint3& joint = joint_[i];
    if (role_[i] != Role::Joint) continue;
    if (six_[i] == 0) {
      joint.s = problem.angular[i].dot(b3_[i]) + source(i);
      const double g = held_[i] == 0 ? joint.s * joint.inv_d : clamp_rate[i];
      const Eigen::Vector3d b = b3_[i] - g * joint.u;
      if (six_[parent] != 0 || (parent == 0 && base_six_)) {
        b6_[parent].tail<3>() += b;
      } else {
        b3_[parent] += b;
      }
    } else {
      joint.s = joint6_[i].S.dot(b6_[i]) + source(i);
      const double g = held_[i] == 0 ? joint.s * joint.inv_d : clamp_rate[i];
      b6_[parent] += b6_[i] - g * joint6_[i].u;
    }
  }
}

namespace {

// In-place L D L' of a symmetric positive semidefinite matrix: L below the diagonal, 1/D on it (0 where the
// pivot vanishes).
template <int N>
void ldlt(Eigen::Matrix<double, N, N>& M) noexcept {
  const double floor = 1e-14 * std::max(M.diagonal().maxCoeff(), 1e-30);
  for (int j = 0; j < N; ++j) {
    double pivot = M(j, j);
    for (int k = 0; k < j; ++k) pivot -= M(j, k) * M(j, k) * M(k, k);  // M(k,k) holds D_k until the end
    M(j, j) = pivot > floor ? pivot : 0.0;
    for (int i = j + 1; i < N; ++i) {
      double sum = M(i, j);
      for (int k = 0; k < j; ++k) sum -= M(i, k) * M(j, k) * M(k, k);
      M(i, j) = pivot > floor ? sum / pivot : 0.0;
    }
  }
  for (int j = 0; j < N; ++j) M(j, j) = M(j, j) > 0.0 ? 1.0 / M(j, j) : 0.0;
}

template <int N>
void ldlt_solve(const Eigen::Matrix<double, N, N>& M, Eigen::Matrix<double, N, 1>& x) noexcept {
  for (int i = 0; i < N; ++i) {
    for (int k = 0; k < i; ++k) x[i] -= M(i, k) * x[k];
  }
  for (int i = 0; i < N; ++i) x[i] *= M(i, i);
  for (int i = N - 1; i >= 0; --i) {
    for (int k = i + 1; k < N; ++k) x[i] -= M(k, i) * x[k];
  }
}

}  // namespace

void TreeSolver::factor_base(const TreeProblem& problem) noexcept {
  if (!problem.floating_base) return;
  if (base_six_) {
    base_factor_ = K6_[0];
    base_factor_.diagonal().head<3>().array() += problem.base_linear_lambda;
    base_factor_.diagonal().tail<3>().array() += problem.base_angular_lambda;
    ldlt<6>(base_factor_);
    return;
  }
  Eigen::Matrix3d K = K3_[0];
  K.diagonal().array() += problem.base_angular_lambda;
  ldlt<3>(K);
  base_factor_.bottomRightCorner<3, 3>() = K;
}

void TreeSolver::solve_base(const TreeProblem& problem) noexcept {
  base_V_.setZero();
  if (!problem.floating_base) return;
  if (base_six_) {
    base_V_ = b6_[0];
    ldlt_solve<6>(base_factor_, base_V_);
    return;
  }
  Eigen::Vector3d omega = b3_[0];
  ldlt_solve<3>(base_factor_.bottomRightCorner<3, 3>(), omega);
  base_V_.tail<3>() = omega;
}

// Points on the base origin alone: the base's linear velocity stands apart.
void TreeSolver::place_base_at_points(const TreeProblem& problem) noexcept {
  if (!problem.floating_base || base_six_) return;
  double weight = problem.base_linear_lambda;
  Eigen::Vector3d v = Eigen::Vector3d::Zero();
  for (const PointRow& row : problem.points) {
    weight += row.weight;
    v += row.weight * row.velocity;
  }
  if (weight > 0.0) base_V_.head<3>() = v / weight;
}

// From the base outwards: q' = (s - u'V_parent)/d where free. rho is that value for clamped joints too: the
// optimum of the coordinate given its parent, so that d (beta - rho) is the multiplier and no separate pass
// is needed.
void TreeSolver::forward(const TreeProblem& problem, const std::vector<double>& clamp_rate,
                         TreeSolution& solution) noexcept {
  solution.v_origin[0] = base_V_.head<3>();
  solution.omega[0] = base_V_.tail<3>();
  for (std::size_t i = 1; i < n_; ++i) {
    if (role_[i] == Role::BallFirst) place_ball(problem, i, solution);
    if (role_[i] != Role::Joint) continue;
    const auto parent = static_cast<std::size_t>(problem.parent[i]);
    const Joint3& joint = joint_[i];
    double uV = 0.0;
    if (six_[i] == 0) {
      uV = joint.u.dot(solution.omega[parent]);
    } else {
      uV = joint6_[i].u.head<3>().dot(solution.v_origin[parent]) +
           joint6_[i].u.tail<3>().dot(solution.omega[parent]);
    }
    solution.rho[i] = (joint.s - uV) * joint.inv_d;
    const double rate = held_[i] == 0 ? solution.rho[i] : clamp_rate[i];
    solution.rate[i] = rate;
    solution.omega[i] = solution.omega[parent] + rate * problem.angular[i];
    if (six_[i] != 0) solution.v_origin[i] = solution.v_origin[parent] + rate * problem.linear[i];
  }
}

// The last body takes the minimiser of its own K and b.
void TreeSolver::place_ball(const TreeProblem& problem, std::size_t first, TreeSolution& solution) noexcept {
  const std::array<int, 3>& ball = problem.balls[static_cast<std::size_t>(ball_of_first_[first])];
  const auto middle = static_cast<std::size_t>(ball[1]), last = static_cast<std::size_t>(ball[2]);
  Eigen::Vector3d omega = b3_[last];
  if (coupled_[last] == 0) {
    omega /= problem.orientation_weight[last];
  } else {
    Eigen::Matrix3d K = K3_[last];
    ldlt<3>(K);
    ldlt_solve<3>(K, omega);
  }
  const Eigen::Vector3d& before = solution.omega[static_cast<std::size_t>(problem.parent[first])];
  const Eigen::Vector3d rates = omega - before;
  solution.rate[first] = solution.rho[first] = rates.x();
  solution.rate[middle] = solution.rho[middle] = rates.y();
  solution.rate[last] = solution.rho[last] = rates.z();
  solution.omega[first] = {omega.x(), before.y(), before.z()};
  solution.omega[middle] = {omega.x(), omega.y(), before.z()};
  solution.omega[last] = omega;
}

bool TreeSolver::is_finite(const TreeSolution& solution) noexcept {
  // a NaN or an infinity anywhere makes the sum not finite
  double sum = solution.v_origin[0].sum() + solution.omega[0].sum();
  for (const double rate : solution.rate) sum += rate;
  return std::isfinite(sum);
}

bool TreeSolver::minimise(const TreeProblem& problem, const std::vector<signed char>& working_set,
                          const std::vector<double>& clamp_rate, TreeSolution& solution) noexcept {
  mark_six(problem);
  mark_balls(problem);
  for (std::size_t i = 0; i < n_; ++i) held_[i] = working_set[i] != 0 ? 1 : 0;
  load(problem);
  load_rhs(problem);
  backward(problem, clamp_rate);
  factor_base(problem);
  solve_base(problem);
  place_base_at_points(problem);
  forward(problem, clamp_rate, solution);
  return is_finite(solution);
}

void TreeSolver::resolve(const TreeProblem& problem, const std::vector<double>& clamp_rate,
                         TreeSolution& solution) noexcept {
  load_rhs(problem);
  backward_rhs(problem, clamp_rate,
               [&problem](std::size_t i) { return problem.lambda[i] * problem.reference[i]; });
  solve_base(problem);
  place_base_at_points(problem);
  forward(problem, clamp_rate, solution);
}

void TreeSolver::respond(const TreeProblem& problem, const std::vector<double>& gradient,
                         TreeSolution& response) noexcept {
  clear_rhs();
  backward_rhs(problem, no_rate_, [&gradient](std::size_t i) { return gradient[i]; });
  solve_base(problem);
  forward(problem, no_rate_, response);
}

}  // namespace panto
