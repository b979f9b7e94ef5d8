#pragma once
// What every inverse-kinematics method offers.

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

  /// One step to `targets.t`. No allocation, lock, log or clock; bounded time. On failure `state` is
  /// unchanged.
  [[nodiscard]] virtual StepStatus step(const Targets& targets, State& state) noexcept = 0;

  /// Tells the solver what was measured at the state's own instant, so that the next step spans the interval
  /// from there. Called after alignment and when a checkpoint is resumed; `step` does it by itself otherwise.
  virtual void prime(const Targets& targets) noexcept = 0;

  /// Velocities of `state` at the targets' own instant, from their rates; what has none keeps zero. The pose
  /// stays. For a pose that was found and not stepped to.
  virtual void set_velocities(const Targets& targets, State& state) noexcept = 0;

  /// Finds the pose of a first sample, or after a gap, by the method's own means; `state` only chooses
  /// branches. Velocities become zero and the stamp the targets'. False, and nothing done: it has none of its
  /// own (`Aligner` has), or nothing is measured.
  [[nodiscard]] virtual bool find_pose(const Targets& targets, State& state) noexcept {
    (void)targets;
    (void)state;
    return false;
  }

  /// Row of every lane, -1 for lanes without: the solver wants `Targets::by_lane` too. Empty: it does not.
  [[nodiscard]] virtual std::vector<int> row_of_lane() const { return {}; }

  [[nodiscard]] virtual const StepReport& last_report() const noexcept = 0;
};

}  // namespace panto
