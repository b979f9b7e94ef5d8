#pragma once
// Reports a running job to its caller, and stops it.

#include <algorithm>
#include <cstdint>
#include <exception>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "panto/evaluation/figures.hpp"
#include "panto/model/state.hpp"
#include "panto/motion/motion.hpp"
#include "panto/sample/segment_sample.hpp"
#include "panto/sample/stages.hpp"

namespace panto {

/// Watches a job. All functions are called from the job's own thread; every member may be empty.
struct Observer {
  /// Receives notes for people, one sentence each, as soon as they are known.
  std::function<void(std::string_view)> note;
  /// Receives the frames done, and the total if known; returning false stops the job with `Cancelled`.
  std::function<bool(std::int64_t done, std::optional<std::int64_t> of)> progress;
  /// Called once before the first frame of the result; an exception ends the job.
  std::function<void()> begin;
  /// Receives the contacts of the result's feet, by frame, before `begin`; not called if they are unknown.
  std::function<void(std::span<const LinkContacts>)> contacts;
  /// Receives the person of the next frame where a robot follows: `frame` gets what the robot should do.
  std::function<void(const SegmentSample&)> person;
  /// Receives every frame of the result: the sample that was followed, the State, and the step's record.
  std::function<void(const SegmentSample&, const State&, const StepRecord&)> frame;
  /// Receive every State of the result in order.
  std::vector<Sink*> sinks;
  /// Returns the time in nanoseconds, for step times; empty: times are not measured.
  std::function<std::int64_t()> nanoseconds;
  /// Returns the allocations so far, for the report; empty: they are not counted.
  std::function<std::int64_t()> allocations;
};

/// Thrown when `Observer::progress` stops the job. Not an Error: no input is wrong.
class Cancelled : public std::exception {
 public:
  [[nodiscard]] const char* what() const noexcept override { return "cancelled"; }
};

/// Calls `observer.note`, if any.
inline void tell(const Observer& observer, std::string_view text) {
  if (observer.note) observer.note(text);
}

/// Reports progress. @throws Cancelled
inline void report_progress(const Observer& observer, std::int64_t done, std::optional<std::int64_t> of) {
  if (observer.progress && !observer.progress(done, of)) throw Cancelled{};
}

/// Which part of a job's work a pass is: `count` units from `first` on, of `of` in all.
struct WorkPart {
  int first = 0, count = 1, of = 1;
};

/// Returns an observer for one pass of a job, so that the progress of all passes grows from 0 to the end
/// once: frames count once a unit of work. `observer` must outlive it.
[[nodiscard]] inline Observer part_of(const Observer& observer, WorkPart part) {
  Observer of_part = observer;
  if (observer.progress)
    of_part.progress = [&observer, part, most = std::int64_t{0}](std::int64_t done,
                                                                 std::optional<std::int64_t> of) mutable {
      if (!of) return observer.progress(done, of);
      most = std::max(most, part.first * *of + part.count * done);  // a pass may do frames again
      return observer.progress(most, part.of * *of);
    };
  return of_part;
}

}  // namespace panto
