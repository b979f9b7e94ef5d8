#pragma once
// The pipeline: a source, a tracker, sinks. Read this first.

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

#include "panto/sample/imu_sample.hpp"
#include "panto/sample/segment_sample.hpp"
#include "panto/sample/stages.hpp"

namespace panto {

/// Number of each outcome.
struct Tally {
  std::array<std::int64_t, 4> reads{};                 ///< by ReadStatus
  std::array<std::int64_t, kStepStatusCount> steps{};  ///< by StepStatus
  std::array<std::int64_t, 2> writes{};                ///< by WriteStatus

  void count(ReadStatus status) noexcept { ++reads[static_cast<std::size_t>(status)]; }
  void count(StepStatus status) noexcept { ++steps[static_cast<std::size_t>(status)]; }
  void count(WriteStatus status) noexcept { ++writes[static_cast<std::size_t>(status)]; }
};

/// Everything between the first byte and the last. Owns nothing.
template <typename Sample>
struct Pipeline {
  Source<Sample>& source;
  Tracker<Sample>& tracker;
  std::vector<Sink*> sinks;
  /// Called after every step with input and result, for progress and statistics; may be empty.
  std::function<void(const Sample&, StepStatus, const State&)> observe;
};

/// Tracks until the source ends. A refused sample leaves the state unchanged and writes nothing.
template <typename Sample>
Tally run(const Pipeline<Sample>& pipeline, Sample& sample, State& state);

extern template Tally run<SegmentSample>(const Pipeline<SegmentSample>&, SegmentSample&, State&);
extern template Tally run<ImuSample>(const Pipeline<ImuSample>&, ImuSample&, State&);

}  // namespace panto
