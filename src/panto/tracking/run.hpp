#pragma once
// The pipeline: a source, a tracker, some sinks. Read this first.

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

#include "panto/sample/imu_sample.hpp"
#include "panto/sample/segment_sample.hpp"
#include "panto/sample/stages.hpp"

namespace panto {

/// How often each outcome came.
struct Tally {
  std::array<std::int64_t, 4> reads{};                 ///< by ReadStatus
  std::array<std::int64_t, kStepStatusCount> steps{};  ///< by StepStatus
  std::array<std::int64_t, 2> writes{};                ///< by WriteStatus

  void count(ReadStatus status) noexcept { ++reads[static_cast<std::size_t>(status)]; }
  void count(StepStatus status) noexcept { ++steps[static_cast<std::size_t>(status)]; }
  void count(WriteStatus status) noexcept { ++writes[static_cast<std::size_t>(status)]; }
};

/// Everything between the first byte and the last. Nothing is owned.
template <typename Sample>
struct Pipeline {
  Source<Sample>& source;
  Tracker<Sample>& tracker;
  std::vector<Sink*> sinks;
  /// Called after every step with what went in and what came out; may be empty. For progress and statistics.
  std::function<void(const Sample&, StepStatus, const State&)> observe;
};

/// Tracks until the source ends. A sample that the tracker refuses leaves the state as it was and writes
/// nothing.
template <typename Sample>
Tally run(const Pipeline<Sample>& pipeline, Sample& sample, State& state);

extern template Tally run<SegmentSample>(const Pipeline<SegmentSample>&, SegmentSample&, State&);
extern template Tally run<ImuSample>(const Pipeline<ImuSample>&, ImuSample&, State&);

}  // namespace panto
