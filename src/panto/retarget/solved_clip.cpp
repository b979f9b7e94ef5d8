#include "panto/retarget/solved_clip.hpp"

#include "panto/base/index.hpp"
#include "panto/tracking/measured_tracker.hpp"

namespace panto {
namespace {

SolvedClip empty_clip(const Model& model) {
  SolvedClip clip;
  clip.motion.model_name = model.name();
  clip.motion.joint_names = model.joint_names();
  return clip;
}

void add(const StepRecord& record, const State& state, bool cut, bool gap, SolvedClip& clip) {
  clip.records.push_back(record);
  clip.state_of.push_back(-1);
  if (!advanced(record.status)) return;
  clip.state_of.back() = static_cast<int>(clip.motion.states.size());
  clip.motion.states.push_back(state);
  clip.cut.push_back(cut);
  clip.gap.push_back(clip.gap.empty() ? false : cut || gap);
}

}  // namespace

std::vector<int> SolvedClip::cuts() const {
  std::vector<int> cuts;
  for (std::size_t k = 1; k < gap.size(); ++k)
    if (gap[k]) cuts.push_back(static_cast<int>(k));
  return cuts;
}

SolvedClip solve_clip(Tracker<SegmentSample>& tracker, RobotRecording& recording, const Model& model,
                      const Observer& observer) {
  SolvedClip clip = empty_clip(model);
  clip.motion.rate_hz = recording.info().rate_hz;
  MeasuredTracker<SegmentSample> measured(tracker, observer);
  SegmentSample sample;
  State state = rest_state(model);
  for (ReadStatus read{}; (read = recording.read(sample)) != ReadStatus::EndOfMotion;) {
    if (read == ReadStatus::Malformed) break;
    if (read != ReadStatus::Sample) continue;
    (void)measured.step(sample, state);
    add(measured.record, state, sample.cut, tracker.last_report().clock_gap, clip);
    report_progress(observer, static_cast<std::int64_t>(clip.records.size()), recording.info().frames);
  }
  return clip;
}

SolvedClip solved_clip(const TwoWayTracker& two_way, const Model& model) {
  SolvedClip clip = empty_clip(model);
  for (const TwoWayTracker::Frame& frame : two_way.frames()) {
    StepRecord record;
    record.status = frame.status;
    record.fallback_level = frame.fallback_level;
    record.active_bounds = frame.active_bounds;
    record.solves = frame.solves;
    record.clamped = frame.clamped;
    record.duration_ns = frame.duration_ns;
    record.allocations = frame.allocations;
    add(record, frame.state, frame.cut, frame.clock_gap, clip);
  }
  return clip;
}

void lift_base(const std::vector<double>& lift, SolvedClip& clip) {
  for (std::size_t k = 0; k < clip.motion.states.size() && k < lift.size(); ++k) {
    State& state = clip.motion.states[k];
    const double dt = k > 0 ? to_seconds(state.t - clip.motion.states[k - 1].t) : 0.0;
    state.p_WB.z() += lift[k];
    if (dt > 0.0 && !clip.cut[k]) state.v_WB.z() += (lift[k] - lift[k - 1]) / dt;
  }
}

StepStatus PlaybackTracker::step(const SegmentSample& sample, State& state) noexcept {
  if (next_ >= clip_->records.size()) return StepStatus::NoTarget;
  record_ = clip_->records[next_];
  const int frame = clip_->state_of[next_++];
  report_.active_bounds = record_.active_bounds;
  report_.solves = record_.solves;
  report_.fallback_level = record_.fallback_level;
  report_.clamped = record_.clamped;
  if (frame < 0) return record_.status;
  state = clip_->motion.states[at(frame)];
  state.t = sample.t;
  return record_.status;
}

}  // namespace panto
