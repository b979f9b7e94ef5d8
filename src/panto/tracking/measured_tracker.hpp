#pragma once
// A tracker that measures its steps.

#include "panto/tracking/observer.hpp"
#include "panto/tracking/tracker.hpp"

namespace panto {

/// Times every step and counts what it allocates, by the clock and the counter of an `Observer`.
template <typename Sample>
class MeasuredTracker final : public Tracker<Sample> {
 public:
  /// Both must outlive it.
  MeasuredTracker(Tracker<Sample>& tracker, const Observer& observer)
      : tracker_(tracker), observer_(observer) {}

  StepStatus step(const Sample& sample, State& state) noexcept override {
    const std::int64_t allocations = observer_.allocations ? observer_.allocations() : 0;
    const std::int64_t start = observer_.nanoseconds ? observer_.nanoseconds() : 0;
    record.status = tracker_.step(sample, state);
    if (observer_.nanoseconds) record.duration_ns = observer_.nanoseconds() - start;
    if (observer_.allocations) record.allocations = observer_.allocations() - allocations;
    const StepReport& report = tracker_.last_report();
    record.fallback_level = report.fallback_level;
    record.active_bounds = report.active_bounds;
    record.solves = report.solves;
    record.clamped = report.clamped;
    return record.status;
  }
  const StepReport& last_report() const noexcept override { return tracker_.last_report(); }

  StepRecord record;

 private:
  Tracker<Sample>& tracker_;
  const Observer& observer_;
};

}  // namespace panto
