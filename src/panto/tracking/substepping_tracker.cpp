#include "panto/tracking/substepping_tracker.hpp"

#include <cmath>

#include "panto/base/error.hpp"
#include "panto/base/index.hpp"
#include "panto/sample/interpolation.hpp"

namespace panto {
namespace {

constexpr double kRounding = 1e-6;  // [s] rounding of the stamps of a constant rate
constexpr int kMostParts = 64;      // bounds the time of a step

}  // namespace

SubsteppingTracker::SubsteppingTracker(SegmentTracker& tracker, std::size_t segments, double longest_step,
                                       double most_interval)
    : tracker_(&tracker),
      segments_(segments),
      longest_step_(longest_step),
      most_interval_(most_interval),
      start_(tracker.rest_state()) {
  if (!(longest_step > 0.0) || !(most_interval > 0.0))
    throw ConfigError("substepping tracker: `longest_step` and `most_interval` must be > 0");
  before_.segments.resize(segments);
  between_.segments.resize(segments);
}

// Number of steps from the previous sample to this one.
int SubsteppingTracker::parts(const SegmentSample& sample, const State& state) const noexcept {
  if (!started_ || sample.cut || sample.segments.size() != segments_ || state.t != before_.t) return 1;
  const double dt = to_seconds(sample.t - before_.t);
  if (!(dt > 0.0) || dt > most_interval_) return 1;
  return static_cast<int>(std::fmin(std::ceil((dt - kRounding) / longest_step_), kMostParts));
}

void SubsteppingTracker::place_between(const SegmentSample& sample, double share, Time t) noexcept {
  between_.t = t;
  for (std::size_t i = 0; i < segments_; ++i)
    between_.segments[i] = between(before_.segments[i], sample.segments[i], share);
}

// Makes the steps in between and the last one.
StepStatus SubsteppingTracker::walk(const SegmentSample& sample, int count, State& state) noexcept {
  bool saturated = false;
  for (int i = 1; i < count; ++i) {
    const double share = static_cast<double>(i) / count;
    const Time way = sample.t - before_.t;
    place_between(sample, share, before_.t + way * i / count);
    const StepStatus status = tracker_->step(between_, state);
    if (!advanced(status)) return status;
    saturated = saturated || status == StepStatus::Saturated;
  }
  const StepStatus status = tracker_->step(sample, state);
  return saturated && status == StepStatus::Solved ? StepStatus::Saturated : status;
}

StepStatus SubsteppingTracker::step(const SegmentSample& sample, State& state) noexcept {
  const int count = parts(sample, state);
  StepStatus status = StepStatus::NumericalFailure;
  if (count > 1) {
    start_ = state;
    status = walk(sample, count, state);
    if (!advanced(status)) {
      state = start_;
      (void)tracker_->resume(before_, start_);
    }
  }
  if (!advanced(status)) status = tracker_->step(sample, state);
  if (!advanced(status)) return status;
  started_ = sample.segments.size() == segments_;
  if (!started_) return status;
  before_.t = sample.t;
  before_.segments = sample.segments;
  return status;
}

}  // namespace panto
