#include "apps/panto/smoothed_tracker.hpp"

#include "panto/tracking/measured_tracker.hpp"
#include "panto/base/index.hpp"

namespace panto::app {

SmoothedTracker::SmoothedTracker(Tracker<SegmentSample>& tracker, const Model& model,
                                 Source<SegmentSample>& source, SmoothingOptions options) {
  Motion motion;
  motion.model_name = model.name();
  motion.joint_names = model.joint_names();
  SegmentSample sample;
  State state = rest_state(model);
  MeasuredTracker<SegmentSample> measured(tracker);
  for (ReadStatus read{}; (read = source.read(sample)) != ReadStatus::EndOfMotion;) {
    if (read == ReadStatus::Malformed) break;
    if (read != ReadStatus::Sample) continue;
    const StepStatus status = measured.step(sample, state);
    frames_.push_back({measured.record, -1});
    if (!advanced(status)) continue;
    frames_.back().state = static_cast<int>(motion.states.size());
    if (!motion.states.empty() && (sample.cut || tracker.last_report().clock_gap))
      options.cuts.push_back(frames_.back().state);
    motion.states.push_back(state);
  }
  cuts_ = options.cuts;
  smoothed_ = smooth_motion(motion, model, options);
}

StepStatus SmoothedTracker::step(const SegmentSample& sample, State& state) noexcept {
  if (next_ >= frames_.size()) return StepStatus::NoTarget;
  const Frame& frame = frames_[next_++];
  record_ = frame.record;
  report_.active_bounds = record_.active_bounds;
  report_.solves = record_.solves;
  report_.fallback_level = record_.fallback_level;
  report_.clamped = record_.clamped;
  if (frame.state < 0) return record_.status;
  state = smoothed_.motion.states[at(frame.state)];
  state.t = sample.t;
  return record_.status;
}

}  // namespace panto::app
