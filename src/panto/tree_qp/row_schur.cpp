#include "panto/tree_qp/row_schur.hpp"

#include <algorithm>
#include <cmath>

namespace panto {
namespace {

// of a row's length; a row with a shorter remainder depends on the others
constexpr double kDependent = 1e-8;
// recompute the sum of the responses if they cancel by more than this
constexpr double kCancellation = 1e4;
constexpr double kRounding = 1e-15;      // relative residual of a row that needs no refinement
constexpr double kCostRounding = 1e-12;  // the same for a cost: a minimum is flat
constexpr int kRefinements = 8;

}  // namespace

RowSchur::RowSchur(const TreeProblem& problem)
    : coupled_(problem.rows.size()),
      joint_response_(problem),
      column_(problem.rows.entries()),
      A_(problem.rows.dense(column_)) {
  const std::size_t m = at(problem.rows.size() + problem.costs.size());
  const auto size = static_cast<Eigen::Index>(m);
  held_.assign(m, 0);
  place_.assign(m, 0);
  depends_.assign(m, 0);
  multiplier_.assign(m, 0.0);
  response_.assign(m, TreeSolution(problem));
  gradient_ = LaneArray<3>(problem.lower.size());
  S_.setZero(size, size);
  factor_ = S_;
  basis_.setZero(A_.cols(), problem.rows.size());
  value_.setZero(size);
  yield_ = mu_ = work_ = value_;
}

double RowSchur::row_value(const TreeProblem& problem, int r, const TreeSolution& at_rates) const noexcept {
  if (r < coupled_) return problem.rows.value(r, at_rates.rate.data());
  const CostRows& costs = problem.costs;
  const std::size_t k = at(r - coupled_);
  double sum = costs.linear[k].dot(to_eigen(vec3(at_rates.v, problem.base))) +
               costs.angular[k].dot(to_eigen(vec3(at_rates.omega, problem.base)));
  for (std::size_t i = at(costs.begin[k]); i < at(costs.begin[k + 1]); ++i)
    sum += costs.coefficient[i] * at_rates.rate[at(costs.entry[i])];
  return sum;
}

// Scale for the rounding error of a row.
double RowSchur::row_size(const TreeProblem& problem, int r, const TreeSolution& at_rates) const noexcept {
  if (r < coupled_) return problem.rows.magnitude(r, at_rates.rate.data());
  const CostRows& costs = problem.costs;
  const std::size_t k = at(r - coupled_);
  double sum = 1.0;
  for (std::size_t i = at(costs.begin[k]); i < at(costs.begin[k + 1]); ++i)
    sum += std::abs(costs.coefficient[i] * at_rates.rate[at(costs.entry[i])]);
  return kCostRounding / kRounding * sum;
}

void RowSchur::add_gradient(const TreeProblem& problem, int r, double factor) noexcept {
  if (r < coupled_) {
    const SparseRows& rows = problem.rows;
    for (int k = rows.begin[at(r)]; k < rows.begin[at(r + 1)]; ++k)
      gradient_[at(rows.entry[at(k)])] += factor * rows.coefficient[at(k)];
    return;
  }
  const CostRows& costs = problem.costs;
  const std::size_t k = at(r - coupled_);
  for (std::size_t i = at(costs.begin[k]); i < at(costs.begin[k + 1]); ++i)
    gradient_[at(costs.entry[i])] += factor * costs.coefficient[i];
  base_force_ += factor * costs.linear[k];
  base_moment_ += factor * costs.angular[k];
}

void RowSchur::clear_gradient(const TreeProblem& problem, int r) noexcept {
  if (r < coupled_) {
    const SparseRows& rows = problem.rows;
    for (int k = rows.begin[at(r)]; k < rows.begin[at(r + 1)]; ++k) gradient_[at(rows.entry[at(k)])] = 0.0;
    return;
  }
  const CostRows& costs = problem.costs;
  const std::size_t k = at(r - coupled_);
  for (std::size_t i = at(costs.begin[k]); i < at(costs.begin[k + 1]); ++i)
    gradient_[at(costs.entry[i])] = 0.0;
  base_force_.setZero();
  base_moment_.setZero();
}

// Gathers the rows in the order in which they are held: costs, then equalities.
void RowSchur::gather(const TreeProblem& problem, const std::vector<signed char>& side,
                      const std::vector<double>& value, const std::vector<double>& yield) noexcept {
  const SparseRows& rows = problem.rows;
  count_ = 0;
  for (int r = 0; r < problem.costs.size(); ++r) {
    const double weight = problem.costs.weight[at(r)];
    if (!(weight > 0.0)) continue;
    value_[count_] = problem.costs.wanted[at(r)];
    yield_[count_] = 1.0 / weight;
    place_[at(coupled_ + r)] = count_;
    held_[at(count_++)] = coupled_ + r;
  }
  for (const bool equality : {true, false}) {
    for (int r = 0; r < rows.size(); ++r) {
      if (side[at(r)] == 0 || rows.is_equality(r) != equality) continue;
      value_[count_] = value[at(r)];
      yield_[count_] = yield[at(r)];
      place_[at(r)] = count_;
      held_[at(count_++)] = r;
    }
  }
}

// Finds rows that depend on previous ones, from their coefficients at the free joints and not from S, where
// little damping makes independent rows look alike. Rows that yield are always independent.
void RowSchur::find_dependent(const LaneArray<3>& working_set) noexcept {
  Eigen::Index independent = 0;
  for (int k = 0; k < count_; ++k) {
    const int r = held_[at(k)];
    depends_[at(r)] = 0;
    if (yield_[k] > 0.0) continue;
    auto rest = basis_.col(independent);
    for (Eigen::Index j = 0; j < rest.size(); ++j)
      rest[j] = working_set[at(column_[static_cast<std::size_t>(j)])] == 0 ? A_(r, j) : 0.0;
    const double length = rest.norm();
    for (int pass = 0; pass < 2; ++pass) {
      for (Eigen::Index b = 0; b < independent; ++b) rest -= basis_.col(b).dot(rest) * basis_.col(b);
    }
    const double left = rest.norm();
    depends_[at(r)] = left > kDependent * length ? 0 : 1;
    if (depends_[at(r)] == 0) {
      rest /= left;
      ++independent;
    }
  }
}

// L D L' of S, without dependent rows.
void RowSchur::factor() noexcept {
  for (int j = 0; j < count_; ++j) {
    double pivot = S_(j, j) + yield_[j];
    for (int k = 0; k < j; ++k) pivot -= factor_(j, k) * factor_(j, k) * work_[k];
    pivot = std::max(pivot, yield_[j]);  // a negative remainder of S is rounding
    unsigned char& dependent = depends_[at(held_[at(j)])];
    if (!(pivot > 0.0)) dependent = 1;
    const bool depends = dependent != 0;
    work_[j] = depends ? 0.0 : pivot;
    factor_(j, j) = depends ? 0.0 : 1.0 / pivot;
    for (int i = j + 1; i < count_; ++i) {
      double sum = S_(i, j);
      for (int k = 0; k < j; ++k) sum -= factor_(i, k) * factor_(j, k) * work_[k];
      factor_(i, j) = sum * factor_(j, j);
    }
  }
}

void RowSchur::solve(Eigen::VectorXd& x) const noexcept {
  for (int i = 0; i < count_; ++i) {
    for (int k = 0; k < i; ++k) x[i] -= factor_(i, k) * x[k];
  }
  for (int i = 0; i < count_; ++i) x[i] *= factor_(i, i);
  for (int i = count_ - 1; i >= 0; --i) {
    for (int k = i + 1; k < count_; ++k) x[i] -= factor_(k, i) * x[k];
  }
}

// Computes the rows' errors into `work_`; returns the largest relative to the size of the row's terms.
double RowSchur::residual(const TreeProblem& problem, const TreeSolution& solution) noexcept {
  double worst = 0.0;
  for (int k = 0; k < count_; ++k) {
    const int r = held_[at(k)];
    work_[k] = row_value(problem, r, solution) - value_[k] - yield_[k] * mu_[k];
    if (factor_(k, k) == 0.0) continue;
    worst = std::max(worst, std::abs(work_[k]) / row_size(problem, r, solution));
  }
  return worst;
}

// Responds to the accumulated gradient and clears it.
void RowSchur::respond_to_all(const TreeProblem& problem, TreeSolver& kernel) noexcept {
  kernel.respond(problem, gradient_, to_vec3(base_force_), to_vec3(base_moment_), joint_response_);
  for (int k = 0; k < count_; ++k) clear_gradient(problem, held_[at(k)]);
}

// Adds S^-1 `work_` to mu and subtracts Y times it from the solution. If the responses cancel, as those of
// nearly parallel rows do when their joints are hardly determined otherwise, sums them before the elimination
// and not after it.
void RowSchur::advance(const TreeProblem& problem, TreeSolver& kernel, double spread,
                       TreeSolution& solution) noexcept {
  solve(work_);
  mu_.head(count_) += work_.head(count_);
  double largest = 0.0;
  for (int k = 0; k < count_; ++k) largest = std::max(largest, std::abs(work_[k]) * S_(k, k));
  if (largest > kCancellation * spread) {
    for (int k = 0; k < count_; ++k) add_gradient(problem, held_[at(k)], -work_[k]);
    respond_to_all(problem, kernel);
    solution.add(1.0, joint_response_);
    return;
  }
  take_responses(solution);
}

void RowSchur::take_responses(TreeSolution& solution) const noexcept {
  for (int k = 0; k < count_; ++k) {
    if (work_[k] != 0.0) solution.add(-work_[k], response_[at(k)]);
  }
}

// Computes Y of the row at `place`, in one pass.
void RowSchur::respond_to(const TreeProblem& problem, TreeSolver& kernel, int place) noexcept {
  const int r = held_[at(place)];
  add_gradient(problem, r, 1.0);
  if (r < coupled_) {
    kernel.respond(problem, gradient_, response_[at(place)]);
  } else {
    kernel.respond(problem, gradient_, to_vec3(base_force_), to_vec3(base_moment_), response_[at(place)]);
  }
  clear_gradient(problem, r);
}

bool RowSchur::hold(const TreeProblem& problem, TreeSolver& kernel, const LaneArray<3>& working_set,
                    const std::vector<signed char>& side, const std::vector<double>& value,
                    const std::vector<double>& yield, TreeSolution& solution) noexcept {
  gather(problem, side, value, yield);
  std::fill(multiplier_.begin(), multiplier_.end(), 0.0);
  if (count_ == 0) return true;

  // Y, and S = A Y
  for (int k = 0; k < count_; ++k) {
    respond_to(problem, kernel, k);
    for (int j = 0; j <= k; ++j) S_(k, j) = row_value(problem, held_[at(j)], response_[at(k)]);
  }
  find_dependent(working_set);
  factor();

  // S mu = A q - values, refined with the rows' errors
  mu_.setZero();
  (void)residual(problem, solution);
  const double spread = 1.0 + work_.head(count_).cwiseAbs().maxCoeff();
  advance(problem, kernel, spread, solution);
  for (int i = 0; i < kRefinements && residual(problem, solution) > kRounding; ++i)
    advance(problem, kernel, spread, solution);
  double sum = 0.0;
  for (int k = 0; k < count_; ++k) sum += multiplier_[at(held_[at(k)])] = mu_[k];
  return std::isfinite(sum);
}

void RowSchur::keep(const TreeProblem& problem, const TreeSolution& answer, TreeSolution& solution) noexcept {
  if (count_ == 0) return;
  for (int k = 0; k < count_; ++k) {
    const int r = held_[at(k)];
    const double there =
        r < coupled_ ? row_value(problem, r, answer) : problem.costs.companion[at(r - coupled_)];
    work_[k] = row_value(problem, r, solution) - there;
  }
  solve(work_);
  take_responses(solution);
}

double RowSchur::pull(int r) noexcept {
  const int place = place_[at(r)];
  work_.head(count_).setZero();
  work_[place] = 1.0;
  solve(work_);
  return work_[place] > 0.0 ? mu_[place] / work_[place] : 0.0;
}

}  // namespace panto
