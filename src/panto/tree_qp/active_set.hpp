#pragma once
// Solves bounds and coupled rows exactly: decides which joints the kernel holds at a bound, and which rows
// are at theirs. Uses block pivoting, started from a forecast of the working set; if that cycles, a monotone
// primal method with feasible iterates; if rows contradict the bounds, the least violation. Costs over
// several bodies (`CostRows`) are part of the cost (docs/algorithms/active_set.md, coupled_rows.md).

#include <vector>

#include "panto/tree_qp/minimiser.hpp"
#include "panto/tree_qp/row_projection.hpp"
#include "panto/tree_qp/row_schur.hpp"
#include "panto/tree_qp/side_forecast.hpp"
#include "panto/tree_qp/solver.hpp"

namespace panto {

/// How a solution was reached.
enum class TreeStatus : unsigned char {
  Exact,     ///< KKT point
  Feasible,  ///< iteration cap: inside all bounds and rows, cost not above that of the start
  Relaxed,   ///< some rows cannot be met: inside all bounds, with a penalty for these rows' violation
  Failed,    ///< not finite
};

/// Caps that bound the time of a solve.
struct ActiveSetOptions {
  int max_pivots = 12;     ///< block-pivoting sweeps before the monotone method takes over; >= 1
  int max_monotone = 120;  ///< monotone sweeps before the feasible iterate is returned; >= 1
};

/// Solver with its workspace and warm start. `solve` is noexcept and does not allocate.
class ActiveSetSolver {
 public:
  /// The terms of rows and the joints of costs are fixed by `problem`; everything else may change. @throws
  /// ConfigError if a cap is below 1.
  explicit ActiveSetSolver(const TreeProblem& problem, const ActiveSetOptions& options = {});

  /// Minimises under the problem's bounds and rows. The first guess is the working set of the previous call,
  /// changed by a forecast of its joints (`SideForecast`). The rates are inside their bounds exactly, and
  /// inside the rows to 1e-9 of their terms unless `Relaxed`. `companion`: the answer to the problem's second
  /// question on the same working set, without a check of bounds: joints at a bound stay there. It still
  /// needs `complete`.
  [[nodiscard]] TreeStatus solve(const TreeProblem& problem, TreeSolution& solution,
                                 TreeSolution* companion = nullptr) noexcept;
  /// The same with `minimiser` in place of the kernel: uses only the bounds of the problem, and there are no
  /// rows. Returns `Feasible` if block pivoting does not end, because only the kernel has the monotone
  /// method. `as_it_stands`: begins with the last working set, without a forecast.
  [[nodiscard]] TreeStatus solve(const TreeProblem& problem, Minimiser& minimiser, TreeSolution& solution,
                                 TreeSolution* companion, bool as_it_stands = false) noexcept;

  /// Returns whether `solution`, whose rates are the minimum without bounds, satisfies them all: then it is
  /// the answer, and nothing is held from now on. `inner`: the bounds are narrower than the real ones, and
  /// nothing is clipped to them. Not for problems with rows.
  [[nodiscard]] bool accept(const TreeProblem& problem, TreeSolution& solution, bool inner) noexcept;

  /// Sets the start of the next search: `rate` is the minimum without bounds, and nothing is held yet.
  void begin(const TreeProblem& problem, const LaneArray<3>& rate) noexcept;

  /// Gives rows at their bounds in `solution` the same values in `companion`. `bodies_only`: the joint rates
  /// are not needed and may be wrong.
  void complete(const TreeProblem& problem, const TreeSolution& solution, TreeSolution& companion,
                bool bodies_only = false) noexcept;

  /// Returns by slot and by row: -1: held by its lower bound, 0: free, +1: held by its upper bound.
  [[nodiscard]] const LaneArray<3>& working_set() const noexcept { return set_; }
  /// Returns false if no joint is in the working set.
  [[nodiscard]] bool may_hold() const noexcept { return any_held_; }
  [[nodiscard]] const std::vector<signed char>& row_working_set() const noexcept { return row_set_; }
  /// Returns multipliers of half the cost, by row; > 0: the upper bound pushes. After `Exact`, they certify
  /// the minimum.
  [[nodiscard]] const std::vector<double>& row_multiplier() const noexcept { return schur_.multiplier(); }
  /// Forgets the working set.
  void reset() noexcept;

 private:
  // the first bound or row that a step of the monotone method meets
  struct Blocking {
    double step = 1.0;
    int joint = -1, row = -1;
    int side = 0;
  };

  [[nodiscard]] TreeStatus search(const TreeProblem& problem, TreeSolution& solution) noexcept;
  [[nodiscard]] bool sweep(const TreeProblem& problem, TreeSolution& solution) noexcept;
  [[nodiscard]] bool minimise(const TreeProblem& problem, const LaneArray<3>* side,
                              const LaneArray<3>& held_rate, TreeSolution& solution) noexcept;
  [[nodiscard]] const LaneArray<3>& curvature() const noexcept {
    return minimiser_ != nullptr ? minimiser_->curvature() : kernel_.curvature();
  }
  void set_clamp_rates(const TreeProblem& problem) noexcept;
  void set_row_values(const SparseRows& rows) noexcept;
  int next_joints(const TreeProblem& problem, const TreeSolution& solution) noexcept;
  int next_rows(const TreeProblem& problem, const TreeSolution& solution) noexcept;
  void free_joints_of(const TreeProblem& problem, int row, int side) noexcept;
  void start(const TreeProblem& problem, const TreeSolution& solution) noexcept;
  void find_feasible(const TreeProblem& problem) noexcept;
  [[nodiscard]] Blocking first_blocking(const TreeProblem& problem,
                                        const TreeSolution& solution) const noexcept;
  void advance(const TreeProblem& problem, const TreeSolution& solution, const Blocking& blocking) noexcept;
  [[nodiscard]] bool release(const TreeProblem& problem, const TreeSolution& solution) noexcept;
  [[nodiscard]] bool meets_rows(const TreeProblem& problem, const TreeSolution& solution) const noexcept;
  [[nodiscard]] bool read_iterate(const TreeProblem& problem, TreeSolution& solution) noexcept;
  [[nodiscard]] TreeStatus monotone(const TreeProblem& problem, TreeSolution& solution) noexcept;
  void finish(const TreeProblem& problem, TreeSolution& solution) noexcept;

  ActiveSetOptions options_;
  TreeSolver kernel_;
  RowSchur schur_;
  RowProjection projection_;
  SideForecast forecast_;
  TreeSolution* companion_ = nullptr;  // of the call
  Minimiser* minimiser_ = nullptr;     // of the call; null: the kernel
  bool as_it_stands_ = false;          // of the call
  bool any_held_ = false;              // joints
  int sweeps_ = 0;                     // of the last search, before the monotone method
  LaneArray<3> set_, all_;             // sides of the joints; all_: every joint held, to read an iterate
  LaneArray<3> clamp_rate_;            // of the joints that are held
  LaneArray<3> window_lower_, window_upper_;
  std::vector<signed char> row_set_, no_rows_;
  std::vector<double> row_value_;  // of the rows that are held
  const double *stay_lower_ = nullptr,
               *stay_upper_ = nullptr;  // a joint keeps its side while rho is between these
  std::vector<double> yield_;           // by row: 0, or 1/relaxed_weight if it cannot be met
  std::vector<unsigned char> relaxed_;
  LaneArray<3> iterate_;
  std::vector<double> slack_;  // violation of a relaxed row
};

}  // namespace panto
