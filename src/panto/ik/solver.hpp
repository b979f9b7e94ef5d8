#pragma once
// The interface of every inverse-kinematics method.

#include <array>
#include <vector>

#include "panto/base/status.hpp"
#include "panto/model/state.hpp"
#include "panto/targets/targets.hpp"

namespace panto {

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
