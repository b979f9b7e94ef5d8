#include "panto/evaluation/worst_moments.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "panto/base/index.hpp"
#include "panto/base/text.hpp"
#include "panto/math/degrees.hpp"
#include "panto/math/so3.hpp"

namespace panto {
namespace {

constexpr double kRounding = 1e-6;  // of deg, m and rad/s

}  // namespace

WorstMoments::WorstMoments(const Model& model, std::vector<TrackedPair> pairs, std::vector<std::string> names,
                           Time settle, std::int64_t first_frame)
    : model_(&model),
      pairs_(std::move(pairs)),
      names_(std::move(names)),
      settle_(settle),
      kinematics_(model),
      frame_(first_frame),
      status_(kStepStatusCount),
      level_(ReportBuilder::kFallbackLevels) {}

void WorstMoments::keep(Moment& moment, double value, Time t, const std::string& who) const {
  if (value > moment.value) moment = {value, frame_, t, who};
}

void WorstMoments::add(const SegmentSample& sample, const State& state, const StepRecord& step) {
  if (!begun_) settled_from_ = settling_end(sample.t, settle_);
  begun_ = true;
  const bool after = sample.t >= settled_from_;
  settled_ = settled_ || after;
  Moments& moments = after ? after_ : settling_;
  // keeps the first of each kind: 1 is not above 1
  const bool broken = advanced(step.status) && !is_valid(state, *model_);
  const StepStatus status = broken ? StepStatus::NumericalFailure : step.status;
  keep(status_[static_cast<std::size_t>(status)], 1.0, sample.t, "");
  keep(level_[at(std::clamp(step.fallback_level, 0, ReportBuilder::kFallbackLevels - 1))], 1.0, sample.t, "");
  if (step.duration_ns) keep(moments.step, static_cast<double>(*step.duration_ns) * 1e-3, sample.t, "");
  if (advanced(status)) {
    kinematics_.update_with_velocities(state);
    judge(sample, moments);
    judge_limits(state);
  }
  ++frame_;
}

void WorstMoments::judge_limits(const State& state) {
  for (int j = 0; j < model_->dof(); ++j) {
    const double outside = std::max(model_->lower()[j] - state.s[j], state.s[j] - model_->upper()[j]);
    if (!(outside > kLimitTolerance)) continue;
    const std::string& name = model_->joint_names()[at(j)];
    keep(limit_, outside, state.t, name);
    if (model_->joint(j).type == JointType::Revolute) keep(limit_angle_, outside, state.t, name);
  }
}

void WorstMoments::judge(const SegmentSample& sample, Moments& moments) {
  for (const TrackedPair& pair : pairs_) {
    if (at(pair.segment) >= sample.segments.size()) continue;
    const SegmentMotion& segment = sample.segments[at(pair.segment)];
    const std::string& name = names_[at(pair.segment)];
    if (pair.orientation && segment.has_orientation)
      keep(moments.angle, kToDegrees * so3::distance(segment.R_WS * pair.R_SF, kinematics_.R_WL(pair.link)),
           sample.t, name);
    if (pair.orientation && segment.has_angular_velocity)
      keep(moments.omega, (segment.w_WS - kinematics_.w_WL(pair.link)).norm(), sample.t, name);
    if (!segment.has_position) continue;
    const double distance = (segment.p_WS - kinematics_.p_WL(pair.link)).norm();
    keep(moments.origin, distance, sample.t, name);
    if (pair.position) keep(moments.position, distance, sample.t, name);
  }
}

std::string WorstMoments::of(const std::string& key) const {
  const Moments& moments = settled_ ? after_ : settling_;
  const auto place = [](const Moment& moment) {
    return "at " + decimals(to_seconds(moment.t), 2) + " s (frame " + std::to_string(moment.frame) + ")";
  };
  const auto told = [&](const Moment& moment, const char* what, double rounding = 0.0) -> std::string {
    if (moment.value < 0.0) return "";
    return moment.who + (moment.who.empty() ? "" : " ") +
           digits(moment.value < rounding ? 0.0 : moment.value, 4) + " " + what + " " + place(moment);
  };
  const auto first = [&](const Moment& moment) -> std::string {
    return moment.value < 0.0 ? "" : "first " + place(moment);
  };
  if (key.starts_with("angle_") || key == "mnte_mean") return told(moments.angle, "deg off", kRounding);
  if (key.starts_with("origin_")) return told(moments.origin, "m off", kRounding);
  if (key.starts_with("position_")) return told(moments.position, "m off", kRounding);
  if (key.starts_with("omega_")) return told(moments.omega, "rad/s off", kRounding);
  if (key.starts_with("step_")) return told(moments.step, "us");
  if (key == "limit_violation_max_rad") return told(limit_angle_, "rad outside its limits");
  if (key.starts_with("limit_")) return told(limit_, "rad or m outside its limits");
  for (int i = 0; i < kStepStatusCount; ++i) {
    if (key == std::string("status_counts.") + to_string(static_cast<StepStatus>(i)))
      return first(status_[at(i)]);
  }
  for (int i = 0; i < ReportBuilder::kFallbackLevels; ++i) {
    if (key == "fallback_counts[" + std::to_string(i) + "]") return first(level_[at(i)]);
  }
  return "";
}

}  // namespace panto
