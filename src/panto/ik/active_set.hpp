#pragma once
// Bounds on the joints' rates over the tree kernel: block pivoting from the last working set, then a monotone
// primal method with a cap. (docs/algorithms/tree_solver.md)

#include <cstddef>
#include <utility>
#include <vector>

#include "panto/ik/tree_solver.hpp"

namespace panto {

/// How a solution was reached.
enum class TreeStatus : unsigned char {
  Exact,     ///< KKT point
  Feasible,  ///< iteration cap: inside all bounds, cost not above that of the start
  Failed,    ///< not finite
};

/// Caps that bound the time of a solve.
struct TreeSolverOptions {
  int max_pivots = 12;     ///< block-pivoting sweeps before the monotone method takes over; >= 1
  int max_monotone = 120;  ///< monotone sweeps before the feasible iterate is returned; >= 1
};

/// Solver with its workspace and its warm start. `solve` and `resolve` are noexcept and do not allocate.
class ActiveSetSolver {
 public:
  /// @throws ConfigError when a cap is below 1.
  explicit ActiveSetSolver(const TreeProblem& problem, const TreeSolverOptions& options = {});

  /// Minimises. The working set of the previous call is the first guess.
  [[nodiscard]] TreeStatus solve(const TreeProblem& problem, TreeSolution& solution) noexcept;

  /// The same tree, weights, damping and working set with other right-hand sides (rhs, points' velocities,
  /// reference): one cheap pass. Bounds are not looked at: joints at a bound keep `held_rate`.
  /// `bodies_only`: the joints' rates are not asked for.
  void resolve(const TreeProblem& problem, const LaneArray<3>& held_rate, TreeSolution& solution,
               bool bodies_only = false) noexcept {
    kernel_.resolve(problem, held_rate.data(), solution, bodies_only);
  }

  /// By slot, -1, 0, +1: held by its lower bound, free, held by its upper bound.
  [[nodiscard]] const std::vector<signed char>& working_set() const noexcept { return set_; }
  /// Forgets the working set.
  void reset() noexcept;

 private:
  [[nodiscard]] bool sweep(const TreeProblem& problem, TreeSolution& solution) noexcept;
  int next_working_set(const TreeProblem& problem) noexcept;
  [[nodiscard]] std::pair<double, std::size_t> first_blocking(const TreeProblem& problem,
                                                              const TreeSolution& solution) const noexcept;
  [[nodiscard]] std::size_t worst_held(const TreeProblem& problem) const noexcept;
  [[nodiscard]] TreeStatus monotone(const TreeProblem& problem, TreeSolution& solution) noexcept;

  TreeSolverOptions options_;
  TreeSolver kernel_;
  std::size_t n_;
  std::vector<signed char> set_;
  int active_ = 0;  // joints in the working set
  LaneArray<3> held_rate_, iterate_;
};

}  // namespace panto
