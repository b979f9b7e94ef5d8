#pragma once
// The interface of every inverse-kinematics method.

#include <array>
#include <vector>

#include "panto/base/status.hpp"
#include "panto/model/state.hpp"
#include "panto/targets/targets.hpp"

namespace panto {

inline constexpr int kFallbackLevels = 6;

/// What the last `step()` met. Angles and distances are those that remain after it, against the sample of the
/// same instant.
struct StepReport {
  std::vector<double>
      versine;  ///< 1 - cos(residual angle) by target row; NaN where the row had no orientation
  std::vector<double>
      origin_error;  ///< distance of the link's origin from its target by row [m]; NaN where unknown
  /// What is left of own targets [m], [rad]: positions, orientations, directions, then of every relative
  /// target its place and its orientation; over the axes that count. NaN where one is off.
  std::vector<double> own_error;
  int active_bounds = 0;  ///< joints, and coupled rows that are no equalities, held by a bound
  int solves = 0;         ///< working sets that were solved for, by the tree solver or the settled one
  /// 0 exact by block pivoting, 1 exact by the monotone method, 2 its cap: feasible, 3 coupled rows that
  /// cannot be met (a start outside them) relaxed, 4 damped retry, 5 nothing finite: state held.
  int fallback_level = 0;
  int clamped = 0;         ///< joints that integration moved back to a limit
  bool aligned = false;    ///< the pose was found anew and not by a step
  bool clock_gap = false;  ///< the sample came later than the longest interval that a step spans
  bool returning = false;  ///< on the way to a pose found after a gap, not faster than the limits allow
  bool ambiguous = false;  ///< it was aligned, and another pose would be about as good: see `Aligner`
};

/// One method: advances a State to the instant of the targets.
class Solver {
 public:
  Solver() = default;
  Solver(const Solver&) = delete;
  Solver& operator=(const Solver&) = delete;
  virtual ~Solver() = default;

  /// Makes one step to `targets.t`. No allocation, lock, log or clock; bounded time. On failure, `state` is
  /// unchanged.
  [[nodiscard]] virtual StepStatus step(const Targets& targets, State& state) noexcept = 0;

  /// Gives the solver the measurements at the state's own instant, so that the next step covers the interval
  /// from there. Call it after alignment and when resuming a checkpoint; `step` does it itself otherwise.
  virtual void prime(const Targets& targets) noexcept = 0;

  /// Sets the velocities of `state` at the targets' own instant from their rates; without rates they stay
  /// zero. Keeps the pose. For a pose that was found and not stepped to.
  virtual void set_velocities(const Targets& targets, State& state) noexcept = 0;

  /// Finds the pose of a first sample, or after a gap, by the method itself; `state` only chooses branches.
  /// Velocities become zero and the stamp that of the targets. Returns false and does nothing if the method
  /// has no such way (`Aligner` has), or if nothing is measured.
  [[nodiscard]] virtual bool find_pose(const Targets& targets, State& state) noexcept {
    (void)targets;
    (void)state;
    return false;
  }

  /// Returns the row of every lane, -1 for lanes without a row: the solver needs `Targets::by_lane` too.
  /// Empty: it does not.
  [[nodiscard]] virtual std::vector<int> row_of_lane() const { return {}; }

  [[nodiscard]] virtual const StepReport& last_report() const noexcept = 0;
};

}  // namespace panto
