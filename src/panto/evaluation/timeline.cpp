#include "panto/evaluation/timeline.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "panto/base/index.hpp"
#include "panto/evaluation/joint_deviations.hpp"
#include "panto/math/so3.hpp"

namespace panto {
namespace {

constexpr std::size_t kUnansweredMax = 1000;  // stored runs
constexpr double kRateTolerance = 1.01;       // 60.3 Hz is shown as 60 Hz is

// number of listed moments of a kind
constexpr std::array<std::size_t, kMomentKindCount> kListed{5, 3, 3, 3, 2, 3};

bool is_larger(double value, double than) { return value > than || std::isnan(than); }

// returns the larger of two figures, either of which may be unknown
void take_larger(float& value, float other) {
  if (is_larger(other, value)) value = other;
}

void take_larger(float& value, int& item, float other, int other_item) {
  if (!is_larger(other, value)) return;
  value = other;
  item = other_item;
}

// merges the peaks of `later` into the frame shown for it
void take_peaks(TimelineFrame& frame, const TimelineFrame& later) {
  for (std::size_t i = 0; i < frame.angle_error.size(); ++i)
    take_larger(frame.angle_error[i], later.angle_error[i]);
  for (std::size_t i = 0; i < frame.on_limit.size(); ++i)
    frame.on_limit[i] = std::max(frame.on_limit[i], later.on_limit[i]);
  if (frame.deviation.empty()) frame.deviation = later.deviation;
  for (std::size_t i = 0; i < std::min(frame.deviation.size(), later.deviation.size()); ++i)
    take_larger(frame.deviation[i], later.deviation[i]);
  take_larger(frame.origin_distance, later.origin_distance);
  take_larger(frame.joint_speed, frame.fastest_joint, later.joint_speed, later.fastest_joint);
  take_larger(frame.turn_speed, frame.fastest_turn, later.turn_speed, later.fastest_turn);
  take_larger(frame.link_speed, frame.fastest_link, later.link_speed, later.fastest_link);
  take_larger(frame.step_us, later.step_us);
}

int first_stride(const TimelineOptions& options) {
  if (!(options.rate_hz > 0.0) || !std::isfinite(options.rate_hz)) return 1;
  const double stride = std::ceil(options.rate_hz / (options.shown_rate_hz * kRateTolerance));
  return static_cast<int>(std::clamp(stride, 1.0, 1e6));
}

// in floating point: stamps of a damaged file may differ by more than Time can represent
double difference(Time a, Time b) { return static_cast<double>(a) - static_cast<double>(b); }

// returns the worst of one kind, at least `apart` from each other
void pick(std::vector<Moment> candidates, std::size_t count, Time apart, std::vector<Moment>& picked) {
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const Moment& a, const Moment& b) { return a.value > b.value; });
  const std::size_t first = picked.size();
  for (const Moment& moment : candidates) {
    if (picked.size() - first == count) return;
    const bool alone = std::all_of(
        picked.begin() + static_cast<std::ptrdiff_t>(first), picked.end(), [&](const Moment& other) {
          return std::abs(difference(moment.t, other.t)) >= static_cast<double>(apart);
        });
    if (alone) picked.push_back(moment);
  }
}

}  // namespace

void TimelineBuilder::Sum::add(double value, Time t) noexcept {
  if (count++ == 0 || value > max) {
    max = value;
    max_t = t;
  }
  sum += value;
}

TimelineBuilder::TimelineBuilder(const Model& model, std::vector<TrackedPair> pairs,
                                 const TimelineOptions& options)
    : model_(&model),
      pairs_(std::move(pairs)),
      options_(options),
      kinematics_(model),
      stride_(1),
      settling_sums_(pairs_.size()),
      settled_sums_(pairs_.size()) {
  check_pairs(model, pairs_);
  if (options_.settle < 0) throw ConfigError("settle must not be negative");
  if (options_.apart <= 0) throw ConfigError("apart must be > 0");
  if (options_.shown_max < 2) throw ConfigError("shown_max must be at least 2");
  if (!(options_.shown_rate_hz > 0.0)) throw ConfigError("shown_rate_hz must be > 0");
  if (!(options_.limit_margin >= 0.0)) throw ConfigError("limit_margin must not be negative");
  stride_ = first_stride(options_);
}

void TimelineBuilder::add(const SegmentSample& sample, const State& state, const StepRecord& step,
                          const SegmentSample* source) {
  if (frames_ == 0) settled_from_ = settling_end(sample.t, options_.settle);
  if (settled(sample.t)) ++settled_frames_;

  TimelineFrame frame;
  const bool valid = is_valid(state, *model_);
  frame.t = sample.t;
  frame.status = advanced(step.status) && !valid ? StepStatus::NumericalFailure : step.status;
  frame.angle_error.assign(pairs_.size(), TimelineFrame::kUnknown);
  frame.on_limit.assign(at(model_->dof()), 0);
  pose(source != nullptr ? *source : sample, state, frame);
  if (step.duration_ns) {
    const double us = static_cast<double>(*step.duration_ns) * 1e-3;
    frame.step_us = static_cast<float>(us);
    note(MomentKind::StepTime, sample.t, us, -1);
  }
  note_status(frame.status, sample.t);
  if (advanced(frame.status)) {
    kinematics_.update_with_velocities(state);
    judge(sample, frame);
    judge_joints(state, frame);
    if (step.deviation.size() == model_->dof()) show_deviation(step, frame);
  }
  show(std::move(frame));
  ++frames_;
}

void TimelineBuilder::pose(const SegmentSample& source, const State& state, TimelineFrame& frame) const {
  frame.p_WB = state.p_WB.cast<float>();
  frame.q_WB = Eigen::Quaterniond(state.R_WB).normalized().cast<float>();
  frame.s.resize(at(model_->dof()), TimelineFrame::kUnknown);
  for (std::size_t i = 0; i < frame.s.size() && i < static_cast<std::size_t>(state.s.size()); ++i)
    frame.s[i] = static_cast<float>(state.s[static_cast<Eigen::Index>(i)]);
  for (const SegmentMotion& segment : source.segments) {
    frame.source.emplace_back(segment.has_position ? Eigen::Vector3f(segment.p_WS.cast<float>())
                                                   : Eigen::Vector3f::Constant(TimelineFrame::kUnknown));
    const Eigen::Quaternionf turn = Eigen::Quaterniond(segment.R_WS).normalized().cast<float>();
    constexpr float kUnknown = TimelineFrame::kUnknown;
    frame.source_turn.push_back(
        segment.has_orientation ? turn : Eigen::Quaternionf(kUnknown, kUnknown, kUnknown, kUnknown));
  }
}

void TimelineBuilder::judge(const SegmentSample& sample, TimelineFrame& frame) {
  std::vector<Sum>& sums = settled(sample.t) ? settled_sums_ : settling_sums_;
  for (std::size_t i = 0; i < pairs_.size(); ++i) {
    const TrackedPair& pair = pairs_[i];
    const int item = static_cast<int>(i);
    take_larger(frame.turn_speed, frame.fastest_turn, static_cast<float>(kinematics_.w_WL(pair.link).norm()),
                item);
    take_larger(frame.link_speed, frame.fastest_link, static_cast<float>(kinematics_.v_WL(pair.link).norm()),
                item);
    if (at(pair.segment) >= sample.segments.size()) continue;
    const SegmentMotion& segment = sample.segments[at(pair.segment)];
    if (pair.orientation && segment.has_orientation) {
      const double angle = so3::distance(segment.R_WS * pair.R_SF, kinematics_.R_WL(pair.link));
      frame.angle_error[i] = static_cast<float>(angle);
      if (std::isfinite(angle)) sums[i].add(angle, sample.t);
      note(MomentKind::OrientationError, sample.t, angle, item);
    }
    if (segment.has_position) {
      const double distance = (segment.p_WS - kinematics_.p_WL(pair.link)).norm();
      take_larger(frame.origin_distance, static_cast<float>(distance));
      note(MomentKind::OriginDistance, sample.t, distance, item);
    }
  }
}

void TimelineBuilder::judge_joints(const State& state, TimelineFrame& frame) {
  for (int i = 0; i < model_->dof(); ++i) {
    const double lower = model_->lower()[i], upper = model_->upper()[i];
    const double outside = std::max(lower - state.s[i], state.s[i] - upper);
    // a joint that cannot move does not count as held by its limits
    frame.on_limit[at(i)] = lower < upper && outside >= -options_.limit_margin ? 1 : 0;
    if (outside > kLimitTolerance) note(MomentKind::LimitViolation, state.t, outside, i);
    if (model_->joint(i).type != JointType::Revolute) continue;
    const double speed = std::abs(state.sdot[i]);
    take_larger(frame.joint_speed, frame.fastest_joint, static_cast<float>(speed), i);
    note(MomentKind::JointSpeed, state.t, speed, i);
  }
}

void TimelineBuilder::show_deviation(const StepRecord& step, TimelineFrame& frame) const {
  for (int i = 0; i < model_->dof(); ++i) {
    const bool turns = model_->joint(i).type == JointType::Revolute;
    const bool held = at(i) < step.held.size() && step.held[at(i)] != 0;
    const double sd = turns ? std::min(step.deviation[i], kUnknownAngle) : step.deviation[i];
    frame.deviation.push_back(held ? TimelineFrame::kUnknown : static_cast<float>(sd));
  }
}

void TimelineBuilder::note(MomentKind kind, Time t, double value, int item) {
  if (!std::isfinite(value)) return;
  const std::int64_t index = static_cast<std::int64_t>(
      std::floor(difference(t, settled_from_) / static_cast<double>(options_.apart)));
  if (stretches_.empty() || stretches_.back().index != index) stretches_.push_back({index, {}});
  std::vector<Moment>& worst = stretches_.back().worst;
  const auto known =
      std::find_if(worst.begin(), worst.end(), [&](const Moment& moment) { return moment.kind == kind; });
  if (known == worst.end()) {
    worst.push_back({kind, t, value, item});
  } else if (value > known->value) {
    *known = {kind, t, value, item};
  }
}

void TimelineBuilder::note_status(StepStatus status, Time t) {
  if (advanced(status)) {
    answered_ = true;
    return;
  }
  if (answered_) {
    remembered_ = unanswered_.size() < kUnansweredMax;
    if (remembered_) unanswered_.push_back({MomentKind::NoAnswer, t, 0.0, static_cast<int>(status)});
  }
  answered_ = false;
  if (remembered_) unanswered_.back().value += 1.0;
}

void TimelineBuilder::show(TimelineFrame frame) {
  if (frames_ % stride_ != 0) {
    take_peaks(shown_.back(), frame);
    return;
  }
  if (shown_.size() == options_.shown_max) {
    // removes every second frame; `frame` is on the new grid or merges into the last one kept
    for (std::size_t i = 0; 2 * i < shown_.size(); ++i) {
      if (2 * i + 1 < shown_.size()) take_peaks(shown_[2 * i], shown_[2 * i + 1]);
      if (i > 0) shown_[i] = std::move(shown_[2 * i]);
    }
    shown_.resize((shown_.size() + 1) / 2);
    stride_ *= 2;
    if (frames_ % stride_ != 0) {
      take_peaks(shown_.back(), frame);
      return;
    }
  }
  shown_.push_back(std::move(frame));
}

Timeline TimelineBuilder::timeline() const {
  Timeline timeline;
  timeline.frames = frames_;
  timeline.stride = stride_;
  timeline.shown = shown_;
  const bool any_settled = settled_frames_ > 0;
  timeline.settled_from = any_settled || shown_.empty() ? settled_from_ : shown_.front().t;

  for (const Sum& sum : any_settled ? settled_sums_ : settling_sums_) {
    PairSummary& summary = timeline.pairs.emplace_back();
    if (sum.count == 0) continue;
    summary.mean = sum.sum / static_cast<double>(sum.count);
    summary.max = sum.max;
    summary.max_t = sum.max_t;
  }
  for (int kind = 0; kind < kMomentKindCount; ++kind) {
    std::vector<Moment> candidates;
    for (const Stretch& stretch : stretches_) {
      for (const Moment& moment : stretch.worst) {
        // as in the report card, limit violations count from the first frame on
        const bool counts = settled(moment.t) || !any_settled || moment.kind == MomentKind::LimitViolation;
        if (static_cast<int>(moment.kind) == kind && counts) candidates.push_back(moment);
      }
    }
    if (static_cast<MomentKind>(kind) == MomentKind::NoAnswer) candidates = unanswered_;
    pick(std::move(candidates), kListed[at(kind)], options_.apart, timeline.moments);
  }
  return timeline;
}

}  // namespace panto
