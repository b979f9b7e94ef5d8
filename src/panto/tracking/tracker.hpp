#pragma once

#include "panto/base/status.hpp"
#include "panto/ik/solver.hpp"
#include "panto/model/state.hpp"

namespace panto {

/// Turns samples of one kind into States. Owns solver and workspace; the caller owns the State.
template <typename Sample>
class Tracker {
 public:
  Tracker() = default;
  Tracker(const Tracker&) = delete;
  Tracker& operator=(const Tracker&) = delete;
  virtual ~Tracker() = default;

  /// Advances `state` to the sample's instant. noexcept, no allocation, bounded time; on failure, `state` is
  /// unchanged.
  [[nodiscard]] virtual StepStatus step(const Sample& sample, State& state) noexcept = 0;

  /// Returns residuals, active bounds and fallback level of the last step.
  [[nodiscard]] virtual const StepReport& last_report() const noexcept = 0;
};

}  // namespace panto
