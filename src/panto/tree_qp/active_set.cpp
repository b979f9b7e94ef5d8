#include "panto/tree_qp/active_set.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>

#include "panto/base/error.hpp"

namespace panto {
namespace {

constexpr double kRowTolerance = 1e-10;  // relative; allowed error of a row in an exact answer
constexpr int kHard =
    3;  // sweeps of a search after which the forecast of the next searches is off: hard steps come in a row
constexpr int kPatience = 4;  // sweeps without fewer changes before the monotone method

double side_of(double value, double lower, double upper) noexcept {
  return value <= lower ? -1.0 : value >= upper ? 1.0 : 0.0;
}

// Whether all values are inside their bounds without tolerance; false for NaN.
PANTO_WIDE bool is_inside(const double* value, const double* lower, const double* upper,
                          std::size_t count) noexcept {
  std::int64_t outside = 0;
  for (std::size_t i = 0; i < count; ++i)
    outside += static_cast<std::int64_t>(!(value[i] <= upper[i])) +
               static_cast<std::int64_t>(!(value[i] >= lower[i]));
  return outside == 0;
}

// Sets sides only where bounds exist, the rates of the held joints, and the range of rho in which each joint
// keeps its side: one loop without branches then detects that nothing changes, which is the usual case.
// Returns the number of held joints.
PANTO_WIDE int hold_joints(const LaneArray<3>& lower, const LaneArray<3>& upper, LaneArray<3>& side,
                           LaneArray<3>& rate, LaneArray<3>& stay_lower, LaneArray<3>& stay_upper) noexcept {
  double held[kLanes] = {};
  for (std::size_t c = 0; c < side.chunk_count(); ++c) {
    const double *low = &lower.chunk(c).v[0][0], *high = &upper.chunk(c).v[0][0];
    double *s = &side.chunk(c).v[0][0], *q = &rate.chunk(c).v[0][0];
    double *from = &stay_lower.chunk(c).v[0][0], *to = &stay_upper.chunk(c).v[0][0];
    double count[3 * kLanes];
#pragma GCC ivdep
    for (std::size_t i = 0; i < 3 * kLanes; ++i) {
      const double l = low[i], u = high[i];
      const double up = s[i] > 0.0 && u < kInfinity ? 1.0 : 0.0,
                   down = s[i] < 0.0 && l > -kInfinity ? 1.0 : 0.0;
      const bool fixed = l == u;
      s[i] = up - down;
      count[i] = up + down;
      q[i] = up != 0.0 ? u : down != 0.0 ? l : 0.0;
      const double bottom = up != 0.0 ? u : l, top = down != 0.0 ? l : u;
      from[i] = down != 0.0 || (fixed && up != 0.0) ? -kInfinity : bottom;
      to[i] = up != 0.0 || (fixed && down != 0.0) ? kInfinity : top;
    }
#pragma GCC ivdep
    for (std::size_t l = 0; l < kLanes; ++l) held[l] += count[l] + count[kLanes + l] + count[2 * kLanes + l];
  }
  return static_cast<int>(sum_of(held));
}

// The whole sign test at once: upper if the optimum rho is above it, lower if below, else free. Returns the
// number of joints that changed sides.
PANTO_WIDE int take_sides(const LaneArray<3>& lower, const LaneArray<3>& upper, const LaneArray<3>& rho,
                          LaneArray<3>& side) noexcept {
  double changes[kLanes] = {};
  for (std::size_t c = 0; c < side.chunk_count(); ++c) {
    const double *low = &lower.chunk(c).v[0][0], *high = &upper.chunk(c).v[0][0];
    const double* optimum = &rho.chunk(c).v[0][0];
    double* s = &side.chunk(c).v[0][0];
    double differs[3 * kLanes];
#pragma GCC ivdep
    for (std::size_t i = 0; i < 3 * kLanes; ++i) {
      const double x = optimum[i], tolerance = kBoundTolerance * (1.0 + std::abs(x));
      const double up = s[i] > 0.0 ? high[i] - tolerance : high[i] + tolerance;
      const double down = s[i] < 0.0 ? low[i] + tolerance : low[i] - tolerance;
      const double moving = x >= up ? 1.0 : x <= down ? -1.0 : 0.0, still = s[i] > 0.0 ? 1.0 : -1.0;
      const double wanted = low[i] == high[i] ? still : moving;
      differs[i] = wanted != s[i] ? 1.0 : 0.0;
      s[i] = wanted;
    }
#pragma GCC ivdep
    for (std::size_t l = 0; l < kLanes; ++l)
      changes[l] += differs[l] + differs[kLanes + l] + differs[2 * kLanes + l];
  }
  return static_cast<int>(sum_of(changes));
}

PANTO_WIDE int count_held(const LaneArray<3>& side) noexcept {
  std::int64_t held = 0;
  const double* s = side.data();
  for (std::size_t i = 0; i < side.flat_size(); ++i) held += static_cast<std::int64_t>(s[i] != 0.0);
  return static_cast<int>(held);
}

}  // namespace

ActiveSetSolver::ActiveSetSolver(const TreeProblem& problem, const ActiveSetOptions& options)
    : options_(options),
      kernel_(problem),
      schur_(problem),
      projection_(problem.rows),
      forecast_(problem.lower.size()) {
  if (options.max_pivots < 1 || options.max_monotone < 1) {
    throw ConfigError("active set: max_pivots " + std::to_string(options.max_pivots) + " and max_monotone " +
                      std::to_string(options.max_monotone) + " must be >= 1");
  }
  set_ = clamp_rate_ = iterate_ = window_lower_ = window_upper_ = LaneArray<3>(problem.lower.size());
  all_ = LaneArray<3>(problem.lower.size(), 1.0);
  const std::size_t m = at(problem.rows.size());
  row_set_.assign(m, 0);
  no_rows_ = row_set_;
  relaxed_.assign(m, 0);
  row_value_.assign(m, 0.0);
  yield_ = slack_ = row_value_;
}

void ActiveSetSolver::reset() noexcept {
  set_.fill(0.0);
  any_held_ = false;
  forecast_.forget();
  std::fill(row_set_.begin(), row_set_.end(), static_cast<signed char>(0));
}

void ActiveSetSolver::set_clamp_rates(const TreeProblem& problem) noexcept {
  stay_lower_ = problem.lower.data();
  stay_upper_ = problem.upper.data();
  if (!any_held_) return;
  any_held_ = hold_joints(problem.lower, problem.upper, set_, clamp_rate_, window_lower_, window_upper_) > 0;
  stay_lower_ = window_lower_.data();
  stay_upper_ = window_upper_.data();
}

// Equalities are always held; other rows if they are in the working set.
void ActiveSetSolver::set_row_values(const SparseRows& rows) noexcept {
  for (int r = 0; r < rows.size(); ++r) {
    const double lower = rows.lower[at(r)], upper = rows.upper[at(r)];
    signed char& side = row_set_[at(r)];
    if (lower == upper && side == 0) side = 1;
    if (side > 0 && !(upper < kInfinity)) side = 0;
    if (side < 0 && !(lower > -kInfinity)) side = 0;
    row_value_[at(r)] = side > 0 ? upper : lower;
  }
}

bool ActiveSetSolver::minimise(const TreeProblem& problem, const LaneArray<3>* side,
                               const LaneArray<3>& held_rate, TreeSolution& solution) noexcept {
  if (minimiser_ != nullptr) return minimiser_->minimise(side, held_rate, solution, companion_);
  return kernel_.minimise(problem, side, held_rate, solution, companion_);
}

// Finds the minimum on the working set. If it is not finite, returns false and forgets the working set.
bool ActiveSetSolver::sweep(const TreeProblem& problem, TreeSolution& solution) noexcept {
  set_clamp_rates(problem);
  ++solution.solves;
  bool finite = minimise(problem, any_held_ ? &set_ : nullptr, clamp_rate_, solution);
  if (finite && (!problem.rows.empty() || problem.costs.any())) {
    set_row_values(problem.rows);
    finite = schur_.hold(problem, kernel_, set_, row_set_, row_value_, yield_, solution);
  }
  if (!finite) reset();
  return finite;
}

// Returns the number of joints that change sides.
int ActiveSetSolver::next_joints(const TreeProblem& problem, const TreeSolution& solution) noexcept {
  if (!leaves(solution.rho.data(), stay_lower_, stay_upper_, set_.flat_size())) return 0;
  any_held_ = true;
  return take_sides(problem.lower, problem.upper, solution.rho, set_);
}

// A violated row in the working set has no joint left to move: releases the held joints that block it.
void ActiveSetSolver::free_joints_of(const TreeProblem& problem, int row, int side) noexcept {
  const SparseRows& rows = problem.rows;
  for (int k = rows.begin[at(row)]; k < rows.begin[at(row + 1)]; ++k) {
    const std::size_t i = at(rows.entry[at(k)]);
    if (problem.lower[i] == problem.upper[i]) continue;
    // above its upper bound the row must fall, and so must joints with a coefficient > 0
    const bool down = (rows.coefficient[at(k)] > 0.0) == (side > 0);
    if (set_[i] == (down ? 1.0 : -1.0)) set_[i] = 0.0;
  }
}

// The same for rows: violated ones join, those whose multiplier has the wrong sign leave. Returns the number
// of rows that changed or are violated although held.
int ActiveSetSolver::next_rows(const TreeProblem& problem, const TreeSolution& solution) noexcept {
  int changes = 0;
  const SparseRows& rows = problem.rows;
  for (int r = 0; r < rows.size(); ++r) {
    const double value = rows.value(r, solution.rate.data()),
                 tolerance = kBoundTolerance * rows.magnitude(r, solution.rate.data());
    const int off = value > rows.upper[at(r)] + tolerance   ? 1
                    : value < rows.lower[at(r)] - tolerance ? -1
                                                            : 0;
    signed char& side = row_set_[at(r)];
    if (off != 0) {
      if (side == off || rows.is_equality(r)) free_joints_of(problem, r, off);
      side = static_cast<signed char>(off);
      ++changes;
    } else if (side != 0 && !rows.is_equality(r) && side * schur_.multiplier()[at(r)] < 0.0 &&
               std::abs(schur_.pull(r)) > tolerance) {
      side = 0;
      ++changes;
    }
  }
  return changes;
}

TreeStatus ActiveSetSolver::solve(const TreeProblem& problem, TreeSolution& solution,
                                  TreeSolution* companion) noexcept {
  companion_ = companion;
  const TreeStatus status = search(problem, solution);
  companion_ = nullptr;
  return status;
}

TreeStatus ActiveSetSolver::solve(const TreeProblem& problem, Minimiser& minimiser, TreeSolution& solution,
                                  TreeSolution* companion, bool as_it_stands) noexcept {
  minimiser_ = &minimiser;
  as_it_stands_ = as_it_stands;
  const TreeStatus status = solve(problem, solution, companion);
  minimiser_ = nullptr;
  as_it_stands_ = false;
  return status;
}

TreeStatus ActiveSetSolver::search(const TreeProblem& problem, TreeSolution& solution) noexcept {
  solution.solves = 0;
  solution.monotone = false;
  std::fill(yield_.begin(), yield_.end(), 0.0);
  schur_.clear();
  if (minimiser_ == nullptr) kernel_.prepare(problem);

  // block pivoting from the forecast of the previous working sets
  if (any_held_ && !as_it_stands_ && sweeps_ < kHard) forecast_.apply(problem.lower, problem.upper, set_);
  int fewest = static_cast<int>(set_.flat_size() + row_set_.size()) + 1, failures = 0;
  bool exact = false;
  while (!exact && solution.solves < options_.max_pivots && failures < kPatience) {
    if (!sweep(problem, solution)) return TreeStatus::Failed;
    int changes = next_joints(problem, solution);
    if (!problem.rows.empty()) changes += next_rows(problem, solution);
    exact = changes == 0;
    failures += changes < fewest ? 0 : 1;
    fewest = std::min(fewest, changes);
  }
  sweeps_ = solution.solves;
  const TreeStatus status = exact                   ? TreeStatus::Exact
                            : minimiser_ != nullptr ? TreeStatus::Feasible
                                                    : monotone(problem, solution);
  if (exact && any_held_)
    forecast_.learn(problem.lower, problem.upper, set_, solution.rho, curvature());
  else
    forecast_.forget();
  if (status != TreeStatus::Failed) finish(problem, solution);
  return status;
}

bool ActiveSetSolver::accept(const TreeProblem& problem, TreeSolution& solution, bool inner) noexcept {
  const double *lower = problem.lower.data(), *upper = problem.upper.data();
  if (!is_inside(solution.rate.data(), lower, upper, set_.flat_size())) {
    if (inner || leaves(solution.rate.data(), lower, upper, set_.flat_size())) return false;
    clip(lower, upper, set_.flat_size(), solution.rate.data());
  }
  if (any_held_) reset();
  solution.active = 0;
  solution.monotone = false;
  return true;
}

void ActiveSetSolver::begin(const TreeProblem& problem, const LaneArray<3>& rate) noexcept {
  any_held_ = take_sides(problem.lower, problem.upper, rate, set_) > 0;
}

// Free joints may exceed a bound by the release tolerance.
void ActiveSetSolver::finish(const TreeProblem& problem, TreeSolution& solution) noexcept {
  clip(problem.lower.data(), problem.upper.data(), set_.flat_size(), solution.rate.data());
  int active = any_held_ ? count_held(set_) : 0;
  for (int r = 0; r < problem.rows.size(); ++r)
    active += row_set_[at(r)] != 0 && !problem.rows.is_equality(r) ? 1 : 0;
  solution.active = active;
}

// Moves the clipped rates to the nearest point that also meets the rows. If there is none, first relaxes the
// rows that a body at rest violates, i.e. those that began beyond their bound; then all rows.
void ActiveSetSolver::find_feasible(const TreeProblem& problem) noexcept {
  const SparseRows& rows = problem.rows;
  std::fill(relaxed_.begin(), relaxed_.end(), static_cast<unsigned char>(0));
  bool found =
      projection_.project(rows, problem.lower.data(), problem.upper.data(), relaxed_, iterate_.data());
  for (int attempt = 0; attempt < 2 && !found; ++attempt) {
    for (int r = 0; r < rows.size(); ++r) {
      const bool at_rest = rows.lower[at(r)] <= 0.0 && rows.upper[at(r)] >= 0.0;
      relaxed_[at(r)] = attempt > 0 || !at_rest ? 1 : 0;
    }
    found = projection_.project(rows, problem.lower.data(), problem.upper.data(), relaxed_, iterate_.data());
  }
  for (int r = 0; r < rows.size(); ++r) {
    const double value = rows.value(r, iterate_.data());
    yield_[at(r)] = relaxed_[at(r)] != 0 ? 1.0 / problem.relaxed_weight : 0.0;
    slack_[at(r)] = 0.0;
    row_set_[at(r)] = projection_.row_side()[at(r)];
    if (relaxed_[at(r)] == 0) continue;
    row_set_[at(r)] = static_cast<signed char>(value > rows.upper[at(r)]   ? 1
                                               : value < rows.lower[at(r)] ? -1
                                                                           : 0);
    if (row_set_[at(r)] != 0) slack_[at(r)] = value - (row_set_[at(r)] > 0 ? rows.upper : rows.lower)[at(r)];
  }
}

void ActiveSetSolver::start(const TreeProblem& problem, const TreeSolution& solution) noexcept {
  for (std::size_t i = 0; i < set_.flat_size(); ++i)
    iterate_[i] = std::min(std::max(solution.rate[i], problem.lower[i]), problem.upper[i]);
  if (!problem.rows.empty()) find_feasible(problem);
  for (std::size_t i = 0; i < set_.flat_size(); ++i)
    set_[i] = side_of(iterate_[i], problem.lower[i], problem.upper[i]);
  any_held_ = true;
}

// Returns how far towards the solution all bounds and rows allow the iterate to move, and which one stops it.
ActiveSetSolver::Blocking ActiveSetSolver::first_blocking(const TreeProblem& problem,
                                                          const TreeSolution& solution) const noexcept {
  Blocking first;
  for (std::size_t i = 0; i < set_.flat_size(); ++i) {
    const double rate = solution.rate[i], tolerance = kBoundTolerance * (1.0 + std::abs(rate));
    if (set_[i] != 0 || (rate <= problem.upper[i] + tolerance && rate >= problem.lower[i] - tolerance))
      continue;
    const int side = rate > problem.upper[i] ? 1 : -1;
    const double room = (side > 0 ? problem.upper[i] : problem.lower[i]) - iterate_[i];
    const double step = std::max(0.0, room / (rate - iterate_[i]));
    if (step < first.step) first = {step, static_cast<int>(i), -1, side};
  }
  const SparseRows& rows = problem.rows;
  for (int r = 0; r < rows.size(); ++r) {
    if (row_set_[at(r)] != 0) continue;  // a row that depends on others does not move either
    const double value = rows.value(r, solution.rate.data()),
                 tolerance = kBoundTolerance * rows.magnitude(r, solution.rate.data());
    if (value <= rows.upper[at(r)] + tolerance && value >= rows.lower[at(r)] - tolerance) continue;
    const int side = value > rows.upper[at(r)] ? 1 : -1;
    const double now = rows.value(r, iterate_.data()) - slack_[at(r)];
    const double room = (side > 0 ? rows.upper : rows.lower)[at(r)] - now;
    const double step = std::max(0.0, room / (value - now));
    if (step < first.step) first = {step, -1, r, side};
  }
  return first;
}

void ActiveSetSolver::advance(const TreeProblem& problem, const TreeSolution& solution,
                              const Blocking& blocking) noexcept {
  for (std::size_t i = 0; i < set_.flat_size(); ++i)
    iterate_[i] += blocking.step * (solution.rate[i] - iterate_[i]);
  for (int r = 0; r < problem.rows.size(); ++r) {
    const double wanted = row_set_[at(r)] != 0 ? yield_[at(r)] * schur_.multiplier()[at(r)] : 0.0;
    slack_[at(r)] += blocking.step * (wanted - slack_[at(r)]);
  }
  if (blocking.joint >= 0) {
    const std::size_t i = at(blocking.joint);
    set_[i] = blocking.side;
    any_held_ = true;
    iterate_[i] = blocking.side > 0 ? problem.upper[i] : problem.lower[i];
  } else if (blocking.row >= 0) {
    row_set_[at(blocking.row)] = static_cast<signed char>(blocking.side);
  }
}

// Releases the joint or row that lowers the cost most; returns false if every multiplier has the right sign.
bool ActiveSetSolver::release(const TreeProblem& problem, const TreeSolution& solution) noexcept {
  double most = 0.0;
  int joint = -1, row = -1;
  for (std::size_t i = 0; i < set_.flat_size(); ++i) {
    if (set_[i] == 0 || problem.lower[i] == problem.upper[i]) continue;
    const double rho = solution.rho[i];
    const double inward = set_[i] > 0 ? clamp_rate_[i] - rho : rho - clamp_rate_[i];
    if (inward <= kBoundTolerance * (1.0 + std::abs(rho))) continue;
    const double gain = curvature()[i] * inward * inward;
    if (gain > most) most = gain, joint = static_cast<int>(i);
  }
  const SparseRows& rows = problem.rows;
  for (int r = 0; r < rows.size(); ++r) {
    const double multiplier = schur_.multiplier()[at(r)];
    if (row_set_[at(r)] == 0 || rows.is_equality(r) || row_set_[at(r)] * multiplier >= 0.0) continue;
    const double inward = std::abs(schur_.pull(r));
    if (inward <= kBoundTolerance * rows.magnitude(r, solution.rate.data())) continue;
    const double gain = std::abs(multiplier) * inward;
    if (gain > most) most = gain, joint = -1, row = r;
  }
  if (row >= 0) {
    row_set_[at(row)] = 0;
  } else if (joint >= 0) {
    set_[at(joint)] = 0.0;
  }
  return joint >= 0 || row >= 0;
}

// Computes the best base motion and balls for the iterate's rates, and all resulting velocities.
bool ActiveSetSolver::read_iterate(const TreeProblem& problem, TreeSolution& solution) noexcept {
  for (std::size_t i = 0; i < set_.flat_size(); ++i)
    iterate_[i] = std::min(std::max(iterate_[i], problem.lower[i]), problem.upper[i]);
  schur_.clear();
  ++solution.solves;
  if (!minimise(problem, &all_, iterate_, solution)) return false;
  return !problem.costs.any() || schur_.hold(problem, kernel_, all_, no_rows_, row_value_, yield_, solution);
}

// Returns false if rounding hides what a row adds to others: nearly parallel rows over joints that little
// else determines. The nearest point that meets the rows is then returned, but not as Exact.
bool ActiveSetSolver::meets_rows(const TreeProblem& problem, const TreeSolution& solution) const noexcept {
  const SparseRows& rows = problem.rows;
  for (int r = 0; r < rows.size(); ++r) {
    const double value = rows.value(r, solution.rate.data()),
                 tolerance = kRowTolerance * rows.magnitude(r, solution.rate.data());
    if (value > rows.upper[at(r)] + tolerance || value < rows.lower[at(r)] - tolerance) return false;
  }
  return true;
}

// Primal active set: every iterate is feasible and none costs more than the previous one. Begins at the
// feasible point nearest to the last answer.
TreeStatus ActiveSetSolver::monotone(const TreeProblem& problem, TreeSolution& solution) noexcept {
  solution.monotone = true;
  start(problem, solution);
  const bool relaxed = std::any_of(yield_.begin(), yield_.end(), [](double y) { return y > 0.0; });
  for (int count = 1; count < options_.max_monotone; ++count) {
    if (!sweep(problem, solution)) return TreeStatus::Failed;
    const Blocking blocking = first_blocking(problem, solution);
    advance(problem, solution, blocking);
    if (blocking.joint >= 0 || blocking.row >= 0) continue;
    // a full step: release what blocks, or finish
    if (release(problem, solution)) continue;
    if (relaxed) return TreeStatus::Relaxed;
    if (meets_rows(problem, solution)) return TreeStatus::Exact;
    find_feasible(problem);
    break;
  }
  if (!read_iterate(problem, solution)) return TreeStatus::Failed;
  return relaxed ? TreeStatus::Relaxed : TreeStatus::Feasible;
}

void ActiveSetSolver::complete(const TreeProblem& problem, const TreeSolution& solution,
                               TreeSolution& companion, bool bodies_only) noexcept {
  if (!bodies_only || !problem.rows.empty() || problem.costs.any()) kernel_.complete(companion);
  schur_.keep(problem, solution, companion);
}

}  // namespace panto
