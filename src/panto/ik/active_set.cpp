#include "panto/ik/active_set.hpp"

#include <algorithm>
#include <cmath>
#include <string>

namespace panto {
namespace {

constexpr double kReleaseTolerance =
    1e-12;  // relative; a coordinate this close to its bound does not change sides

}  // namespace

ActiveSetSolver::ActiveSetSolver(const TreeProblem& problem, const TreeSolverOptions& options)
    : options_(options),
      kernel_(problem),
      n_(problem.lower.flat_size()),
      set_(n_, 0),
      held_rate_(problem.parent.size()),
      iterate_(problem.parent.size()) {
  if (options.max_pivots < 1 || options.max_monotone < 1) {
    throw ConfigError("tree solver: max_pivots " + std::to_string(options.max_pivots) + " and max_monotone " +
                      std::to_string(options.max_monotone) + " must be >= 1");
  }
}

void ActiveSetSolver::reset() noexcept {
  std::fill(set_.begin(), set_.end(), static_cast<signed char>(0));
  active_ = 0;
}

namespace {

// Rates of held joints; a side without a bound lets go.
PANTO_WIDE void take_bounds(const double* lower, const double* upper, std::size_t n, signed char* set,
                            double* held_rate) noexcept {
#pragma GCC ivdep
  for (std::size_t i = 0; i < n; ++i) {
    const double bound = set[i] > 0 ? upper[i] : lower[i];
    const bool held = set[i] != 0 && std::abs(bound) < kInfinity;
    set[i] = held ? set[i] : static_cast<signed char>(0);
    held_rate[i] = held ? bound : 0.0;
  }
}

// The whole sign test at once: upper where the optimum lies above it, lower where below, else free. Returns
// how many joints changed sides.
PANTO_WIDE int choose_sides(const double* lower, const double* upper, const double* rho, std::size_t n,
                            signed char* set) noexcept {
  int changes = 0;
#pragma GCC ivdep
  for (std::size_t i = 0; i < n; ++i) {
    const double tolerance = kReleaseTolerance * (1.0 + std::abs(rho[i]));
    const double up = upper[i] + (set[i] > 0 ? -tolerance : tolerance);
    const double down = lower[i] + (set[i] < 0 ? tolerance : -tolerance);
    int wanted = rho[i] < down ? -1 : 0;
    wanted = rho[i] > up ? 1 : wanted;
    wanted = lower[i] == upper[i] ? (set[i] > 0 ? 1 : -1) : wanted;
    changes += wanted != set[i] ? 1 : 0;
    set[i] = static_cast<signed char>(wanted);
  }
  return changes;
}

// free joints may exceed a bound by the release tolerance
PANTO_WIDE int clip(const double* lower, const double* upper, const signed char* set, std::size_t n,
                    double* rate) noexcept {
  int active = 0;
#pragma GCC ivdep
  for (std::size_t i = 0; i < n; ++i) {
    const double above = rate[i] > lower[i] ? rate[i] : lower[i];
    rate[i] = above < upper[i] ? above : upper[i];
    active += set[i] != 0 ? 1 : 0;
  }
  return active;
}

}  // namespace

namespace {

// Whether any optimum is outside its bounds, or has no room between them.
PANTO_WIDE bool any_outside(const LaneArray<3>& lower, const LaneArray<3>& upper,
                            const LaneArray<3>& rho) noexcept {
  double outside[kLanes] = {};
  for (std::size_t c = 0; c < rho.chunk_count(); ++c) {
    const Chunk<3>&low = lower.chunk(c), &high = upper.chunk(c), &x = rho.chunk(c);
#pragma GCC ivdep
    for (std::size_t l = 0; l < kLanes; ++l) {
      double out = outside[l];
      const auto look = [&](std::size_t k) {
        out = x.v[k][l] < low.v[k][l] ? 1.0 : out;
        out = x.v[k][l] > high.v[k][l] ? 1.0 : out;
        out = low.v[k][l] < high.v[k][l] ? out : 1.0;
      };
      look(0), look(1), look(2);
      outside[l] = out;
    }
  }
  double sum = 0.0;
  for (const double o : outside) sum += o;
  return sum != 0.0;
}

}  // namespace

// The minimum on the working set. False, and the working set forgotten, when it is not finite.
bool ActiveSetSolver::sweep(const TreeProblem& problem, TreeSolution& solution) noexcept {
  take_bounds(problem.lower.data(), problem.upper.data(), n_, set_.data(), held_rate_.data());
  ++solution.solves;
  if (kernel_.minimise(problem, set_.data(), held_rate_.data(), solution)) return true;
  reset();
  return false;
}

int ActiveSetSolver::next_working_set(const TreeProblem& problem) noexcept {
  return choose_sides(problem.lower.data(), problem.upper.data(), kernel_.rho().data(), n_, set_.data());
}

TreeStatus ActiveSetSolver::solve(const TreeProblem& problem, TreeSolution& solution) noexcept {
  solution.solves = 0;
  solution.monotone = false;
  kernel_.prepare(problem);
  bool exact = false;

  // nothing held, and nothing to hold: most steps
  if (active_ == 0) {
    ++solution.solves;
    solution.active = 0;
    if (!kernel_.minimise(problem, nullptr, nullptr, solution)) return TreeStatus::Failed;
    if (!any_outside(problem.lower, problem.upper, kernel_.rho())) return TreeStatus::Exact;
    exact = next_working_set(problem) == 0;
  }

  // block pivoting from the previous working set
  int fewest = static_cast<int>(n_) + 1, failures = 0;
  while (!exact && solution.solves < options_.max_pivots && failures < 4) {
    if (!sweep(problem, solution)) return TreeStatus::Failed;
    const int changes = next_working_set(problem);
    exact = changes == 0;
    failures += changes < fewest ? 0 : 1;
    fewest = std::min(fewest, changes);
  }
  const TreeStatus status = exact ? TreeStatus::Exact : monotone(problem, solution);
  solution.active = active_ =
      clip(problem.lower.data(), problem.upper.data(), set_.data(), n_, solution.rate.data());
  return status;
}

// How far of the way from the iterate to the solution all bounds allow, and which joint stops it (n: none).
std::pair<double, std::size_t> ActiveSetSolver::first_blocking(const TreeProblem& problem,
                                                               const TreeSolution& solution) const noexcept {
  double step = 1.0;
  std::size_t blocking = n_;
  for (std::size_t i = 0; i < n_; ++i) {
    const double at = iterate_.data()[i], change = solution.rate.data()[i] - at;
    if (set_[i] != 0 || change == 0.0) continue;
    const double room = (change > 0.0 ? problem.upper.data()[i] : problem.lower.data()[i]) - at;
    if (std::abs(change) * step > std::abs(room)) {
      step = room / change;
      blocking = i;
    }
  }
  return {step, blocking};
}

// The held joint whose release lowers the cost most; n when every multiplier has the right sign.
std::size_t ActiveSetSolver::worst_held(const TreeProblem& problem) const noexcept {
  double worst = 0.0;
  std::size_t release = n_;
  for (std::size_t i = 0; i < n_; ++i) {
    if (set_[i] == 0 || problem.lower.data()[i] == problem.upper.data()[i]) continue;
    const double rho = kernel_.rho().data()[i];
    const double inward = set_[i] > 0 ? held_rate_.data()[i] - rho : rho - held_rate_.data()[i];
    if (inward <= kReleaseTolerance * (1.0 + std::abs(rho))) continue;
    const double gain = kernel_.curvature().data()[i] * inward * inward;
    if (gain > worst) {
      worst = gain;
      release = i;
    }
  }
  return release;
}

// Primal active set: every iterate is feasible and none costs more than the one before. Begins at the clipped
// last answer.
TreeStatus ActiveSetSolver::monotone(const TreeProblem& problem, TreeSolution& solution) noexcept {
  solution.monotone = true;
  for (std::size_t i = 0; i < n_; ++i) {
    const double lower = problem.lower.data()[i], upper = problem.upper.data()[i];
    const double clipped = std::min(std::max(solution.rate.data()[i], lower), upper);
    iterate_.data()[i] = clipped;
    set_[i] = static_cast<signed char>(clipped == lower ? -1 : clipped == upper ? 1 : 0);
  }
  for (int count = 0; count < options_.max_monotone; ++count) {
    if (!sweep(problem, solution)) return TreeStatus::Failed;

    // to the first blocking bound
    const auto [step, blocking] = first_blocking(problem, solution);
    for (std::size_t i = 0; i < n_; ++i)
      iterate_.data()[i] += step * (solution.rate.data()[i] - iterate_.data()[i]);
    if (blocking != n_) {
      const bool up = solution.rate.data()[blocking] > iterate_.data()[blocking];
      set_[blocking] = static_cast<signed char>(up ? 1 : -1);
      iterate_.data()[blocking] = up ? problem.upper.data()[blocking] : problem.lower.data()[blocking];
      continue;
    }

    // a full step: release the bound that gains most, or be done
    const std::size_t release = worst_held(problem);
    if (release == n_) return TreeStatus::Exact;
    set_[release] = 0;
  }

  // cap reached: the feasible iterate, every joint held there, with the base's best velocities
  for (std::size_t i = 0; i < n_; ++i) set_[i] = set_[i] == 0 ? static_cast<signed char>(2) : set_[i];
  const bool finite = kernel_.minimise(problem, set_.data(), iterate_.data(), solution);
  for (std::size_t i = 0; i < n_; ++i) set_[i] = set_[i] == 2 ? static_cast<signed char>(0) : set_[i];
  return finite ? TreeStatus::Feasible : TreeStatus::Failed;
}

}  // namespace panto
