#include "apps/panto/smoothed_tracker.hpp"

#include "panto/base/index.hpp"

namespace panto::app {

SmoothedTracker::SmoothedTracker(Tracker<SegmentSample>& tracker, const Model& model,
                                 Source<SegmentSample>& source, SmoothingOptions options) {
  Motion motion;
  motion.model_name = model.name();
  motion.joint_names = model.joint_names();
  SegmentSample sample;
  State state = rest_state(model);
  for (ReadStatus read{}; (read = source.read(sample)) != ReadStatus::EndOfMotion;) {
    if (read == ReadStatus::Malformed) break;
    if (read != ReadStatus::Sample) continue;
    const StepStatus status = tracker.step(sample, state);
    const StepReport& report = tracker.last_report();
    frames_.push_back(
        {status, -1, report.active_bounds, report.solves, report.fallback_level, report.clamped});
    if (!advanced(status)) continue;
    frames_.back().state = static_cast<int>(motion.states.size());
    if (!motion.states.empty() && (sample.cut || report.clock_gap))
      options.cuts.push_back(frames_.back().state);
    motion.states.push_back(state);
  }
  cuts_ = options.cuts;
  smoothed_ = smooth_motion(motion, model, options);
}

StepStatus SmoothedTracker::step(const SegmentSample& sample, State& state) noexcept {
  if (next_ >= frames_.size()) return StepStatus::NoTarget;
  const Frame& frame = frames_[next_++];
  report_.active_bounds = frame.active_bounds;
  report_.solves = frame.solves;
  report_.fallback_level = frame.fallback_level;
  report_.clamped = frame.clamped;
  if (frame.state < 0) return frame.status;
  state = smoothed_.motion.states[at(frame.state)];
  state.t = sample.t;
  return frame.status;
}

}  // namespace panto::app
