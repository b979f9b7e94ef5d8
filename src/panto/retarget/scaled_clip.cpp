#include "panto/retarget/scaled_clip.hpp"

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>
#include <utility>

#include "panto/tracking/measured_tracker.hpp"
#include "panto/base/error.hpp"
#include "panto/base/index.hpp"
#include "panto/base/text.hpp"
#include "panto/math/so3.hpp"
#include "panto/sample/interpolation.hpp"

namespace panto {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kSwingsShown = 12;
constexpr double kLonger = 1.0005;   // times as long, below which three decimals say 1
constexpr double kMuchSlower = 1.5;  // times as long: worth a hint
constexpr double kTooSlow = 3.0;     // and a warning
constexpr double kMoves = 0.2;       // [rad], [m] a joint that is asked for so much moves
constexpr double kStands = 0.1;      // and one that is left with so little of it stands

// Between two samples, `share` of the way; velocities at `pace` of the recorded ones.
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

std::string seconds(Time t) { return decimals(to_seconds(t), 2); }

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

FreeClip::FreeClip(SegmentTracker& free, RobotRecording& recording, const Model& robot)
    : names(recording.names()), motion{robot.name(), robot.joint_names(), recording.info().rate_hz, {}} {
  SegmentSample sample;
  State state = free.rest_state();
  MeasuredTracker<SegmentSample> measured(free);
  for (ReadStatus read{}; (read = recording.read(sample)) != ReadStatus::EndOfMotion;) {
    if (read == ReadStatus::Malformed) {
      problem = recording.problem();
      break;
    }
    if (read != ReadStatus::Sample) continue;
    const Clock::time_point start = Clock::now();
    const StepStatus status = measured.step(sample, state);
    seconds += std::chrono::duration<double>(Clock::now() - start).count();
    if (!advanced(status)) continue;
    if (sample.cut && !samples.empty()) cuts.push_back(static_cast<int>(samples.size()));
    samples.push_back(sample);
    persons.push_back(recording.person());
    frames.push_back(recording.frame());
    touches.push_back(recording.skeleton().touches());
    records.push_back(measured.record);
    motion.states.push_back(state);
  }
}

ScaledClip::ScaledClip(std::shared_ptr<const FreeClip> clip, const Model& robot, const ScaleOptions& options,
                       int first, int last)
    : clip_(std::move(clip)), first_(at(first)) {
  for (const int cut : clip_->cuts) {
    if (cut > first && cut <= last)
      throw FormatError("--limits scale needs one motion without cuts, and there is one at frame " +
                        std::to_string(clip_->frames[at(cut)]) +
                        "; with --turns gestures end there, and each is scaled by itself");
  }
  const Motion& all = clip_->motion;
  const Motion part{all.model_name,
                    all.joint_names,
                    all.rate_hz,
                    {all.states.begin() + first, all.states.begin() + last + 1}};
  for (const State& state : part.states) stamps_.push_back(state.t);
  const Clock::time_point start = Clock::now();
  RangeScaledMotion inside = scale_range(part, robot, options.range);
  TimeScaledMotion timed = scale_time(inside.motion, robot, options.time);
  seconds_ = std::chrono::duration<double>(Clock::now() - start).count();
  range_ = std::move(inside.report);
  time_ = std::move(timed.report);
  from_ = std::move(timed.from);
  motion_ = std::move(timed.motion);
}

int ScaledClip::frame() const noexcept {
  return clip_->frames.empty() ? -1 : clip_->frames[first_ + nearest_];
}

ReadStatus ScaledClip::read(SegmentSample& sample) noexcept {
  if (next_ >= motion_.states.size()) return ReadStatus::EndOfMotion;
  const Time t = from_[next_];
  const auto behind = std::lower_bound(stamps_.begin(), stamps_.end(), t);
  const auto b = std::min(static_cast<std::size_t>(behind - stamps_.begin()), stamps_.size() - 1);
  const std::size_t a = b > 0 ? b - 1 : 0;
  const double share =
      b > a ? std::clamp(static_cast<double>(t - stamps_[a]) / static_cast<double>(stamps_[b] - stamps_[a]),
                         0.0, 1.0)
            : 0.0;
  const std::size_t last = motion_.states.size() - 1;
  const std::size_t ahead = std::min(next_ + 1, last), back = next_ > 0 ? next_ - 1 : 0;
  const Time passed = motion_.states[ahead].t - motion_.states[back].t;
  const double pace =
      passed > 0 ? static_cast<double>(from_[ahead] - from_[back]) / static_cast<double>(passed) : 0.0;
  sample = between(clip_->samples[first_ + a], clip_->samples[first_ + b], share, pace);
  sample.t = motion_.states[next_].t;
  const std::size_t nearest = share < 0.5 ? a : b;
  repeats_ = next_ > 0 && nearest == nearest_;
  nearest_ = nearest;
  ++next_;
  return ReadStatus::Sample;
}

StepStatus ScaledClip::step(const SegmentSample& sample, State& state) noexcept {
  if (next_ == 0 || sample.t != motion_.states[next_ - 1].t) return StepStatus::NoTarget;
  state = motion_.states[next_ - 1];
  return record().status;
}

std::string format_scaling(const ScaledClip& clip, const Model& robot) {
  const TimeScalingReport& time = clip.time();
  const RangeScalingReport& range = clip.range();
  std::string text = "scaled to the robot's limits\n  time: " + decimals(time.before, 2) + " s";
  text += time.stretch < kLonger ? ", as it was\n"
                                 : " -> " + decimals(time.after, 2) + " s, stretched by " +
                                       decimals(time.stretch, 3) + " (s_v " + decimals(time.scale, 3) + ")\n";
  if (time.joint >= 0)
    text += "    " + robot.joint_names()[at(time.joint)] + " asks for it" +
            (time.by_acceleration ? " by its acceleration" : "") + ", most at " + seconds(time.joint_at) +
            " s" +
            (time.law == TimeLaw::Uniform && time.stretch > kMuchSlower
                 ? "; --pace optimal slows down only where it must\n"
                 : "\n");
  for (const FastJoint& joint : time.fast)
    text += "    " + robot.joint_names()[at(joint.joint)] + ": " + decimals(joint.peak, 2) + " of " +
            decimals(joint.limit, 2) + " rad/s at " + seconds(joint.at) + " s\n";
  text += "  range: " + counted(static_cast<std::int64_t>(range.swings.size()), "swing") +
          " beyond limits, " + counted(static_cast<std::int64_t>(range.rows.size()), "swing") +
          " of coupled rows, joints moved by " + decimals(range.change_max, 3) + " rad at most\n";
  const auto& stamps = clip.stamps();
  for (std::size_t i = 0; i < range.swings.size() && i < kSwingsShown; ++i) {
    const JointSwing& s = range.swings[i];
    text += "    " + robot.joint_names()[at(s.joint)] + ": " + seconds(stamps[at(s.first)]) + " to " +
            seconds(stamps[at(s.last)]) + " s, " + decimals(s.before, 3) + " -> " + decimals(s.after, 3) +
            " rad at " + seconds(stamps[at(s.extremum)]) + " s, scale " + decimals(s.scale_before, 2) +
            " and " + decimals(s.scale_behind, 2) + "\n";
  }
  if (range.swings.size() > kSwingsShown)
    text += "    and " + std::to_string(range.swings.size() - kSwingsShown) + " more; --json lists all\n";
  return text;
}

std::string still_warning(const ScaledClip& clip, const Model& robot) {
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
      still.push_back("'" + robot.joint_names()[at(i)] + "' (asked for " + decimals(wanted.lower[i], 2) +
                      " to " + decimals(wanted.upper[i], 2) +
                      (robot.joint(i).type == JointType::Prismatic ? " m" : " rad") + ", has " +
                      decimals(robot.lower()[i], 2) + " to " + decimals(robot.upper()[i], 2) + ")");
  }
  if (still.empty()) return "";
  return "warning: scaled into its range, next to no motion is left of joint " + listed(still, 3);
}

std::string slow_warning(const ScaledClip& clip, const Model& robot) {
  const TimeScalingReport& time = clip.time();
  if (time.joint < 0 || !(time.stretch > kTooSlow)) return "";
  const std::string& joint = robot.joint_names()[at(time.joint)];
  std::string text = "warning: the motion takes " + decimals(time.stretch, 1) + " times as long: joint '" +
                     joint + "' is too fast at " + seconds(time.joint_at) + " s";
  const auto fast = std::find_if(time.fast.begin(), time.fast.end(),
                                 [&](const FastJoint& f) { return f.joint == time.joint; });
  if (fast != time.fast.end() && !time.by_acceleration)
    text += " (up to " + decimals(fast->peak, 1) + " of " + decimals(fast->limit, 1) + " rad/s)";
  if (time.by_acceleration) text += " for its limit of acceleration";
  if (time.law == TimeLaw::Uniform) text += "; --pace optimal slows down only where it must";
  return text;
}

std::string scaling_json(const ScaledClip& clip, const Model& robot) {
  using Json = nlohmann::ordered_json;
  const TimeScalingReport& time = clip.time();
  const auto& stamps = clip.stamps();
  const auto second = [](Time t) { return to_seconds(t); };
  const auto swing = [&](const ScaledSwing& s) {
    return Json{{"from_s", second(stamps[at(s.first)])},
                {"to_s", second(stamps[at(s.last)])},
                {"at_s", second(stamps[at(s.extremum)])},
                {"before", s.before},
                {"after", s.after},
                {"scale_before", s.scale_before},
                {"scale_behind", s.scale_behind}};
  };
  Json json{{"stretch", time.stretch},
            {"scale", time.scale},
            {"duration_before_s", time.before},
            {"duration_after_s", time.after},
            {"law", time.law == TimeLaw::Uniform ? "uniform" : "optimal"},
            {"asked_by", time.joint >= 0 ? Json(robot.joint_names()[at(time.joint)]) : Json(nullptr)},
            {"asked_at_s", time.joint >= 0 ? Json(second(time.joint_at)) : Json(nullptr)},
            {"change_max", clip.range().change_max},
            {"scaled_share", clip.range().scaled_share}};
  json["fast"] = json["swings"] = json["rows"] = json["pulled"] = Json::array();
  for (const FastJoint& joint : time.fast)
    json["fast"].push_back({{"joint", robot.joint_names()[at(joint.joint)]},
                            {"peak", joint.peak},
                            {"limit", joint.limit},
                            {"at_s", second(joint.at)}});
  for (const JointSwing& s : clip.range().swings) {
    json["swings"].push_back(swing(s));
    json["swings"].back()["joint"] = robot.joint_names()[at(s.joint)];
  }
  for (const RowSwing& s : clip.range().rows) {
    json["rows"].push_back(swing(s));
    json["rows"].back()["row"] = robot.spec().rows[at(s.row)].name;
  }
  for (const PulledJoints& p : clip.range().pulled)
    json["pulled"].push_back({{"from_s", second(stamps[at(p.first)])},
                              {"to_s", second(stamps[at(p.last)])},
                              {"factor", p.factor}});
  json["recorded_s"] = Json::array();
  for (const Time t : clip.recorded()) json["recorded_s"].push_back(second(t));
  return json.dump();
}

}  // namespace panto
