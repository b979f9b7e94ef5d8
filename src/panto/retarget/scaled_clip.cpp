#include "panto/retarget/scaled_clip.hpp"

#include <algorithm>
#include <utility>

#include "panto/base/error.hpp"
#include "panto/base/index.hpp"
#include "panto/base/text.hpp"
#include "panto/math/so3.hpp"
#include "panto/motion/contacts.hpp"
#include "panto/motion/derivatives.hpp"
#include "panto/motion/range_scaling.hpp"
#include "panto/motion/time_scaling.hpp"
#include "panto/retarget/clear_robot.hpp"
#include "panto/retarget/sole_depth.hpp"
#include "panto/sample/interpolation.hpp"
#include "panto/tracking/measured_tracker.hpp"

namespace panto {
namespace {

constexpr double kTooSlow = 3.0;  // duration ratio that is worth a warning
constexpr double kMoves = 0.2;    // [rad], [m] a joint with a wider requested range moves
constexpr double kStands = 0.1;   // share of that range below which a scaled joint is still

// Interpolates two samples, `share` of the way; velocities at `pace` of the recorded ones.
SegmentSample between(const SegmentSample& a, const SegmentSample& b, double share, double pace) {
  SegmentSample sample = a;
  for (std::size_t i = 0; i < a.segments.size(); ++i) {
    SegmentMotion& now = sample.segments[i];
    now = panto::between(a.segments[i], b.segments[i], share);
    now.R_WS = so3::project(now.R_WS);
    now.w_WS *= pace;
    now.v_WS *= pace;
  }
  return sample;
}

}  // namespace

Model without_limits(const Model& model) {
  ModelSpec spec = model.spec();
  spec.rest = model.rest();
  spec.rows.clear();
  for (Joint& joint : spec.joints) {
    joint.lower = -kInfinity;
    joint.upper = joint.velocity = kInfinity;
  }
  return Model(std::move(spec));
}

Model without_speed_limits(const Model& model) {
  ModelSpec spec = model.spec();
  spec.rest = model.rest();
  for (Joint& joint : spec.joints) joint.velocity = kInfinity;
  return Model(std::move(spec));
}

FreeClip::FreeClip(Tracker<SegmentSample>& free, State state, RobotRecording& recording, const Model& robot,
                   const Observer& observer)
    : names(recording.names()), motion{robot.name(), robot.joint_names(), recording.info().rate_hz, {}} {
  SegmentSample sample;
  MeasuredTracker<SegmentSample> measured(free, observer);
  for (ReadStatus read{}; (read = recording.read(sample)) != ReadStatus::EndOfMotion;) {
    if (read == ReadStatus::Malformed) {
      problem = recording.problem();
      break;
    }
    if (read != ReadStatus::Sample) continue;
    const StepStatus status = measured.step(sample, state);
    seconds += 1e-9 * static_cast<double>(measured.record.duration_ns.value_or(0));
    report_progress(observer, static_cast<std::int64_t>(samples.size()), recording.info().frames);
    if (!advanced(status)) continue;
    if (sample.cut && !samples.empty()) cuts.push_back(static_cast<int>(samples.size()));
    State placed = state;
    if (recording.carried()) {
      carry(recording.skeleton().base(), sample);
      carry(recording.skeleton().base(), placed);
    }
    samples.push_back(sample);
    persons.push_back(recording.person());
    frames.push_back(recording.frame());
    touches.push_back(recording.skeleton().touches());
    records.push_back(measured.record);
    motion.states.push_back(std::move(placed));
  }
  if (recording.carried()) derive_velocities(motion, cuts);
}

ScaledClip::ScaledClip(std::shared_ptr<const FreeClip> clip, const Model& robot, const ScaleOptions& options,
                       int first, int last, const Observer& observer)
    : clip_(std::move(clip)), first_(at(first)) {
  for (const int cut : clip_->cuts) {
    if (cut > first && cut <= last)
      throw FormatError("scaling into limits needs a motion without cuts, but there is one at frame " +
                        std::to_string(clip_->frames[at(cut)]) +
                        "; scale it gesture by gesture, where gestures end at cuts");
  }
  const Motion& all = clip_->motion;
  const Motion part{all.model_name,
                    all.joint_names,
                    all.rate_hz,
                    {all.states.begin() + first, all.states.begin() + last + 1},
                    contacts_between(all.contacts, first, last)};
  for (const State& state : part.states) scaling_.stamps.push_back(state.t);
  const std::int64_t start = observer.nanoseconds ? observer.nanoseconds() : 0;
  RangeScaledMotion inside = scale_range(part, robot, options.range);
  TimeScaledMotion timed = scale_time(inside.motion, robot, options.time);
  if (observer.nanoseconds) scaling_.seconds = 1e-9 * static_cast<double>(observer.nanoseconds() - start);
  scaling_.range = std::move(inside.report);
  scaling_.time = std::move(timed.report);
  scaling_.recorded = std::move(timed.from);
  motion_ = std::move(timed.motion);
}

std::vector<std::string> ScaledClip::plant(const Model& robot, const robot::Skeleton& skeleton,
                                           const PersonFeet& person, const std::vector<BaseWish>& wishes,
                                           const PlantMotionOptions& options) {
  std::vector<Time> t;
  for (const State& state : motion_.states) t.push_back(state.t);
  PlantMotionReport report = plant_motion(robot, skeleton, feet_at(person, scaling_.recorded, t),
                                          wishes_at(wishes, scaling_.recorded, t), options, {}, motion_);
  SoleDepth depth(robot, skeleton, person.sides);
  for (const State& state : motion_.states) depth.add(state, false);
  const std::vector<double> lift = depth.any() ? depth.lift() : std::vector<double>();
  for (std::size_t k = 0; k < lift.size(); ++k) motion_.states[k].p_WB.z() += lift[k];
  if (!lift.empty()) derive_velocities(motion_, {});
  drop_raised_contacts(robot, skeleton, motion_);
  std::vector<std::string> notes{let_go_note(report), raised_note(lift)};
  std::erase(notes, "");
  still_ = std::move(report.still);
  return notes;
}

std::vector<std::string> ScaledClip::clear(const Model& robot, const robot::Skeleton& skeleton,
                                           const ClearMotionOptions& options) {
  std::vector<std::string> notes = clear_robot(robot, skeleton, still_, options, {}, motion_);
  derive_velocities(motion_, {});
  return notes;
}

int ScaledClip::frame() const noexcept {
  return clip_->frames.empty() ? -1 : clip_->frames[first_ + nearest_];
}

ReadStatus ScaledClip::read(SegmentSample& sample) noexcept {
  if (next_ >= motion_.states.size()) return ReadStatus::EndOfMotion;
  const Time t = scaling_.recorded[next_];
  const auto behind = std::lower_bound(scaling_.stamps.begin(), scaling_.stamps.end(), t);
  const auto b =
      std::min(static_cast<std::size_t>(behind - scaling_.stamps.begin()), scaling_.stamps.size() - 1);
  const std::size_t a = b > 0 ? b - 1 : 0;
  const double share = b > a ? std::clamp(static_cast<double>(t - scaling_.stamps[a]) /
                                              static_cast<double>(scaling_.stamps[b] - scaling_.stamps[a]),
                                          0.0, 1.0)
                             : 0.0;
  const std::size_t last = motion_.states.size() - 1;
  const std::size_t ahead = std::min(next_ + 1, last), back = next_ > 0 ? next_ - 1 : 0;
  const Time passed = motion_.states[ahead].t - motion_.states[back].t;
  const double pace = passed > 0 ? static_cast<double>(scaling_.recorded[ahead] - scaling_.recorded[back]) /
                                       static_cast<double>(passed)
                                 : 0.0;
  sample = between(clip_->samples[first_ + a], clip_->samples[first_ + b], share, pace);
  sample.t = motion_.states[next_].t;
  const std::size_t nearest = share < 0.5 ? a : b;
  repeats_ = next_ > 0 && nearest == nearest_;
  nearest_ = nearest;
  before_ = a, after_ = b, share_ = share;
  ++next_;
  return ReadStatus::Sample;
}

std::optional<Eigen::Vector3d> ScaledClip::person_place(std::size_t entry) const noexcept {
  const SegmentMotion& from = clip_->persons[first_ + before_].segments[entry];
  const SegmentMotion& to = clip_->persons[first_ + after_].segments[entry];
  if (!from.has_position || !to.has_position) return std::nullopt;
  return from.p_WS + share_ * (to.p_WS - from.p_WS);
}

StepStatus ScaledClip::step(const SegmentSample& sample, State& state) noexcept {
  if (next_ == 0 || sample.t != motion_.states[next_ - 1].t) return StepStatus::NoTarget;
  state = motion_.states[next_ - 1];
  return record().status;
}

std::string still_warning(const ScaledClip& clip, const Model& robot) {
  if (clip.states().empty()) return {};
  const auto ranges = [](std::span<const State> states) {
    JointRanges all{states.front().s, states.front().s};
    for (const State& state : states) {
      all.lower = all.lower.cwiseMin(state.s);
      all.upper = all.upper.cwiseMax(state.s);
    }
    return all;
  };
  const JointRanges wanted = ranges(clip.before()), kept = ranges(clip.states());
  std::vector<std::string> still;
  for (int i = 0; i < robot.dof(); ++i) {
    const double moved = wanted.upper[i] - wanted.lower[i];
    if (moved > kMoves && kept.upper[i] - kept.lower[i] < kStands * moved)
      still.push_back("'" + robot.joint_names()[at(i)] + "' (wanted " + decimals(wanted.lower[i], 2) +
                      " to " + decimals(wanted.upper[i], 2) +
                      (robot.joint(i).type == JointType::Prismatic ? " m" : " rad") + ", limits " +
                      decimals(robot.lower()[i], 2) + " to " + decimals(robot.upper()[i], 2) + ")");
  }
  if (still.empty()) return "";
  return "warning: hardly any motion is left after scaling into the limits of joint " + listed(still, 3);
}

std::string slow_warning(const ScaledClip& clip, const Model& robot) {
  const TimeScalingReport& time = clip.report().time;
  if (time.joint < 0 || !(time.stretch > kTooSlow)) return "";
  const std::string& joint = robot.joint_names()[at(time.joint)];
  std::string text = "warning: the motion takes " + decimals(time.stretch, 1) + " times as long: joint '" +
                     joint + "' is too fast at " + decimals(to_seconds(time.joint_at), 2) + " s";
  const auto fast = std::find_if(time.fast.begin(), time.fast.end(),
                                 [&](const FastJoint& f) { return f.joint == time.joint; });
  if (fast != time.fast.end() && !time.by_acceleration)
    text += " (up to " + decimals(fast->peak, 1) + " of " + decimals(fast->limit, 1) + " rad/s)";
  if (time.by_acceleration) text += " for its acceleration limit";
  if (time.law == TimeLaw::Uniform) text += "; the optimal pace slows down only where necessary";
  return text;
}

}  // namespace panto
