#pragma once
// What a job tells while it runs, and how it is stopped.

#include <cstdint>
#include <exception>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "panto/evaluation/figures.hpp"
#include "panto/model/state.hpp"
#include "panto/sample/segment_sample.hpp"
#include "panto/sample/stages.hpp"

namespace panto {

/// Watches a job. All functions are called from the job's own thread; every member may be empty.
struct Observer {
  /// Gets one sentence for people as soon as it is known.
  std::function<void(std::string_view)> note;
  /// Gets the frames done, and of how many where that is known; false stops the job with `Cancelled`.
  std::function<bool(std::int64_t done, std::optional<std::int64_t> of)> progress;
  /// Is called once before the first frame of the result; what it throws ends the job.
  std::function<void()> begin;
  /// Gets every frame of the result: what was followed, the State, and how its step fared.
  std::function<void(const SegmentSample&, const State&, const StepRecord&)> frame;
  /// Get every State of the result in order.
  std::vector<Sink*> sinks;
  /// Tells the time in nanoseconds, for step times; empty: they are not measured.
  std::function<std::int64_t()> nanoseconds;
  /// Counts allocations so far, for the report; empty: they are not counted.
  std::function<std::int64_t()> allocations;
};

/// Says that `Observer::progress` stopped the job. Not an Error: no input is at fault.
class Cancelled : public std::exception {
 public:
  [[nodiscard]] const char* what() const noexcept override { return "cancelled"; }
};

/// Calls `observer.note` where there is one.
inline void tell(const Observer& observer, std::string_view text) {
  if (observer.note) observer.note(text);
}

/// Reports progress. @throws Cancelled
inline void report_progress(const Observer& observer, std::int64_t done, std::optional<std::int64_t> of) {
  if (observer.progress && !observer.progress(done, of)) throw Cancelled{};
}

}  // namespace panto
