#pragma once

#include <chrono>

#include "apps/support/allocation_count.hpp"
#include "panto/evaluation/report_card.hpp"
#include "panto/tracking/tracker.hpp"

namespace panto {

/// Times every step and counts what it allocates.
template <typename Sample>
class MeasuredTracker final : public Tracker<Sample> {
 public:
  explicit MeasuredTracker(Tracker<Sample>& tracker) : tracker_(tracker) {}

  StepStatus step(const Sample& sample, State& state) noexcept override {
    using Clock = std::chrono::steady_clock;
    const AllocationCount allocations;
    const Clock::time_point start = Clock::now();
    record.status = tracker_.step(sample, state);
    record.duration_ns = std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - start).count();
    if (AllocationCount::available()) record.allocations = allocations.value();
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
};

}  // namespace panto
