#pragma once
// Times every step of a tracker, with the clock and the counter of an Observer.

#include <cstdint>
#include <functional>

#include "panto/evaluation/report_card.hpp"
#include "panto/sample/stages.hpp"
#include "panto/tracking/observer.hpp"

namespace panto {

/// Times every step and counts its allocations, if the observer has a clock and a counter.
template <typename Sample>
class MeasuredTracker final : public Tracker<Sample> {
 public:
  /// `tracker` must outlive this object; clock and counter of `observer` are copied.
  MeasuredTracker(Tracker<Sample>& tracker, const Observer& observer)
      : tracker_(tracker), nanoseconds_(observer.nanoseconds), allocations_(observer.allocations) {}

  [[nodiscard]] StepStatus step(const Sample& sample, State& state) noexcept override {
    const std::int64_t allocated = allocations_ ? allocations_() : 0;
    const std::int64_t start = nanoseconds_ ? nanoseconds_() : 0;
    record.status = tracker_.step(sample, state);
    if (nanoseconds_) record.duration_ns = nanoseconds_() - start;
    if (allocations_) record.allocations = allocations_() - allocated;
    const StepReport& report = tracker_.last_report();
    record.fallback_level = report.fallback_level;
    record.active_bounds = report.active_bounds;
    record.solves = report.solves;
    record.clamped = report.clamped;
    return record.status;
  }
  [[nodiscard]] const StepReport& last_report() const noexcept override { return tracker_.last_report(); }

  StepRecord record;  ///< of the last step

 private:
  Tracker<Sample>& tracker_;
  std::function<std::int64_t()> nanoseconds_, allocations_;
};

}  // namespace panto
