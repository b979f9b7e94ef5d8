#include "panto/tracking/smoothed_inertial_tracker.hpp"

#include <algorithm>
#include <cmath>

namespace panto {

SmoothedInertialTracker::SmoothedInertialTracker(InertialTracker& tracker, const RecordedImuSamples& samples,
                                                 const InertialSmoothingOptions& options)
    : tracker_(&tracker), frames_(samples.count) {
  if (options.stretch == std::size_t{0}) throw ConfigError("inertial smoother: `stretch` must be at least 1");
  if (tracker.checkpoint(tracker.start_state()).started)
    throw ConfigError("inertial smoother: the tracker must not have begun a motion");
  deviation_ = Eigen::VectorXd::Zero(tracker.start_state().s.size());
  held_ = tracker.held();
  const auto root = static_cast<std::size_t>(std::ceil(std::sqrt(static_cast<double>(samples.count))));
  const std::size_t stretch =
      std::max<std::size_t>(std::min(options.stretch.value_or(root), samples.count), 1);

  std::vector<Checkpoint> kept = filter(samples, stretch, options.filtered);
  const Checkpoint end = tracker.checkpoint(tracker.start_state());  // knowledge from the whole recording
  stretch_.resize(stretch);
  ChainSmoother smoother(tracker.filter(), {options.deviations});
  for (; !kept.empty(); kept.pop_back()) {
    filter_again(samples, kept.back(), (kept.size() - 1) * stretch);
    while (filtered_ > 0) {
      smooth(stretch_[--filtered_], smoother);
      if (options.smoothed) options.smoothed();
    }
  }
  stretch_.clear();
  stretch_.shrink_to_fit();
  tracker.resume(end);
}

// the first pass: what is needed to repeat every stretch
std::vector<SmoothedInertialTracker::Checkpoint> SmoothedInertialTracker::filter(
    const RecordedImuSamples& samples, std::size_t stretch, const std::function<void(StepStatus)>& filtered) {
  std::vector<Checkpoint> kept;
  kept.reserve(samples.count / stretch + 1);
  ImuSample sample;
  State state = tracker_->start_state();
  for (std::size_t i = 0; i < samples.count; ++i) {
    if (i % stretch == 0) kept.push_back(tracker_->checkpoint(state));
    samples.read(i, sample);
    Frame& frame = frames_[i];
    frame.t = sample.t;
    frame.status = tracker_->step(sample, state);
    if (filtered) filtered(frame.status);
    if (!advanced(frame.status)) continue;
    frame.held = tracker_->held();
    frame.begins = tracker_->last_report().aligned;
    frame.silence = tracker_->last_report().clock_gap;
    ++counts_.smoothed;
    counts_.parts += frame.begins ? 1 : 0;
  }
  return kept;
}

// from sample `first` to the start of the next stretch
void SmoothedInertialTracker::filter_again(const RecordedImuSamples& samples, const Checkpoint& from,
                                           std::size_t first) {
  tracker_->resume(from);
  State state = from.state;
  ImuSample sample;
  const std::size_t end = std::min(first + stretch_.size(), samples.count);
  for (std::size_t i = first; i < end; ++i) {
    samples.read(i, sample);
    if (!advanced(tracker_->step(sample, state))) continue;
    Filtered& filtered = stretch_[filtered_++];
    filtered.frame = i;
    filtered.chain = tracker_->chain();
    filtered.state = state;
  }
}

void SmoothedInertialTracker::smooth(const Filtered& filtered, ChainSmoother& smoother) {
  Frame& frame = frames_[filtered.frame];
  if (part_ends_) {
    smoother.begin(filtered.chain);
  } else {
    counts_.kept += smoother.step_back(filtered.chain) ? 0 : 1;
    counts_.kept_deviation += smoother.covariance_smoothed() ? 0 : 1;
  }
  part_ends_ = frame.begins;
  frame.chain.t = smoother.state().t;
  frame.chain.motion = smoother.state().motion;
  if (smoother.state().P.size() == 0) return;
  State state = filtered.state;
  frame.deviation.resize(deviation_.size());
  tracker_->read(smoother.state(), state, frame.deviation);
}

StepStatus SmoothedInertialTracker::step(const ImuSample& sample, State& state) noexcept {
  if (state.s.size() != deviation_.size() || state.sdot.size() != deviation_.size())
    return StepStatus::SizeMismatch;
  if (next_ >= frames_.size() || frames_[next_].t != sample.t) return StepStatus::NoTarget;
  const Frame& frame = frames_[next_++];
  if (!advanced(frame.status)) return frame.status;
  report_.aligned = frame.begins;
  report_.clock_gap = frame.silence;
  tracker_->filter().read(frame.chain, state, tracker_->lag());
  if (frame.deviation.size() > 0) deviation_ = frame.deviation;
  held_ = frame.held;
  return frame.status;
}

}  // namespace panto
