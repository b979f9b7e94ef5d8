#include "panto/evaluation/report_card.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "panto/base/text.hpp"
#include "panto/math/degrees.hpp"

namespace panto {
namespace {

std::optional<double> scaled(std::optional<double> value, double factor) {
  if (value) *value *= factor;
  return value;
}

}  // namespace

void check_pairs(const Model& model, const std::vector<TrackedPair>& pairs) {
  for (const TrackedPair& pair : pairs) {
    if (pair.segment < 0 || pair.link < 0 || pair.link >= model.link_count()) {
      throw ConfigError("no pair of segment " + std::to_string(pair.segment) + " and link " +
                        std::to_string(pair.link) + " in a model with " + std::to_string(model.link_count()) +
                        " links");
    }
  }
}

void add_orientation_errors(const std::vector<TrackedPair>& pairs, const SegmentSample& sample,
                            const Kinematics& kinematics, OrientationError& orientation,
                            RootMeanSquare& omega) {
  for (const TrackedPair& pair : pairs) {
    if (static_cast<std::size_t>(pair.segment) >= sample.segments.size()) continue;
    const SegmentMotion& segment = sample.segments[static_cast<std::size_t>(pair.segment)];
    if (pair.orientation && segment.has_orientation)
      orientation.add(segment.R_WS * pair.R_SF, kinematics.R_WL(pair.link));
    // the same for both frames of a rigid body
    if (pair.orientation && segment.has_angular_velocity)
      omega.add((segment.w_WS - kinematics.w_WL(pair.link)).squaredNorm());
  }
}

std::string unsettled_note(const ReportCard& card, double settle) {
  const double length = card.duration_s.value_or(0.0);
  if (settle <= to_seconds(ReportOptions{}.settle) || length >= settle) return {};
  return "warning: the motion lasts " + digits(length, 3) + " s, no longer than the " + digits(settle, 3) +
         " s that figures leave out at the start: they cover all frames";
}

Time settling_end(Time t, Time settle) noexcept {
  return t > std::numeric_limits<Time>::max() - settle ? std::numeric_limits<Time>::max() : t + settle;
}

ReportBuilder::Statistics::Statistics(const Model& model, std::size_t expected, std::size_t pairs)
    : orientation(expected * pairs), origin(expected * pairs), step_ns(expected), jerk(model) {}

ReportBuilder::ReportBuilder(const Model& model, std::vector<TrackedPair> pairs, const ReportOptions& options)
    : model_(&model),
      pairs_(std::move(pairs)),
      options_(options),
      kinematics_(model),
      settling_(model, options.expected_frames, pairs_.size()),
      settled_(model, options.expected_frames, pairs_.size()),
      limits_(model, options.limit_tolerance) {
  if (options.settle < 0) throw ConfigError("settle must not be negative");
  check_pairs(model, pairs_);
}

void ReportBuilder::add(const SegmentSample& sample, const State& state, const StepRecord& step) {
  if (frames_++ == 0) first_ = sample.t;
  last_ = sample.t;
  const bool broken = advanced(step.status) && !is_valid(state, *model_);
  ++status_counts_[static_cast<std::size_t>(broken ? StepStatus::NumericalFailure : step.status)];
  const int level = std::clamp(step.fallback_level, 0, kFallbackLevels - 1);
  ++fallback_counts_[static_cast<std::size_t>(level)];
  if (step.allocations) allocations_ = allocations_.value_or(0) + *step.allocations;

  Statistics& statistics = sample.t < settling_end(first_, options_.settle) ? settling_ : settled_;
  ++statistics.frames;
  if (step.duration_ns) statistics.step_ns.add(static_cast<double>(*step.duration_ns));
  if (!advanced(step.status) || broken) {
    statistics.jerk.interrupt();
    before_.reset();
    return;
  }
  ++statistics.answered;
  if (step.status == StepStatus::Saturated) ++statistics.saturated;
  limits_.add(state);
  statistics.jerk.add(state);
  hash_ = hash_ ? state_hash(state, *hash_) : state_hash(state);
  judge(sample, state, statistics);
}

void ReportBuilder::judge(const SegmentSample& sample, const State& state, Statistics& statistics) {
  kinematics_.update_with_velocities(state);
  add_orientation_errors(pairs_, sample, kinematics_, statistics.orientation, statistics.omega);
  for (const TrackedPair& pair : pairs_) {
    if (static_cast<std::size_t>(pair.segment) >= sample.segments.size()) continue;
    const SegmentMotion& segment = sample.segments[static_cast<std::size_t>(pair.segment)];
    if (segment.has_position) {
      const double squared = (segment.p_WS - kinematics_.p_WL(pair.link)).squaredNorm();
      statistics.origin.add(std::sqrt(squared));
      if (pair.position) statistics.position.add(squared);
    }
  }
  judge_base(sample, state, statistics);
}

void ReportBuilder::judge_base(const SegmentSample& sample, const State& state, Statistics& statistics) {
  Places now{sample.t, state.p_WB, {}, {}};
  if (!pairs_.empty() && static_cast<std::size_t>(pairs_.front().segment) < sample.segments.size()) {
    const SegmentMotion& segment = sample.segments[static_cast<std::size_t>(pairs_.front().segment)];
    if (segment.has_position) now.followed.emplace(kinematics_.p_WL(pairs_.front().link), segment.p_WS);
  }
  const double dt = before_ ? to_seconds(now.t - before_->t) : 0.0;
  if (dt > 0.0) {
    const double speed = (now.base - before_->base).norm() / dt;
    statistics.base_speed = std::max(statistics.base_speed.value_or(0.0), speed);
    now.velocity = (now.base - before_->base) / dt;
    if (before_->velocity) {
      const double change = (*now.velocity - *before_->velocity).norm() / dt;
      statistics.base_acceleration = std::max(statistics.base_acceleration.value_or(0.0), change);
    }
  }
  if (dt > 0.0 && now.followed && before_->followed) {
    const double link = (now.followed->first - before_->followed->first).norm();
    const double segment = (now.followed->second - before_->followed->second).norm();
    statistics.base_excess = std::max(statistics.base_excess.value_or(0.0), (link - segment) / dt);
  }
  before_ = now;
}

ReportCard ReportBuilder::report() const {
  const Statistics& statistics = settled_.frames > 0 ? settled_ : settling_;
  ReportCard card;
  card.frames = frames_;
  if (frames_ > 0) card.duration_s = to_seconds(last_) - to_seconds(first_);
  if (frames_ > 1 && *card.duration_s > 0.0)
    card.rate_hz = static_cast<double>(frames_ - 1) / *card.duration_s;

  const SampleStatistics& angle = statistics.orientation.angle();
  card.mnte_mean = statistics.orientation.mnte();
  card.angle_mean_deg = scaled(angle.mean(), kToDegrees);
  card.angle_p99_deg = scaled(angle.percentile(0.99), kToDegrees);
  card.angle_max_deg = scaled(angle.max(), kToDegrees);
  card.omega_rmse_rad_s = statistics.omega.value(3.0);
  card.position_rmse_m = statistics.position.value();
  card.origin_mean_m = statistics.origin.mean();
  card.origin_max_m = statistics.origin.max();

  card.limit_violations = limits_.count();
  card.limit_violation_max_rad = limits_.max_angle();
  if (statistics.answered > 0) {
    card.saturated_share =
        static_cast<double>(statistics.saturated) / static_cast<double>(statistics.answered);
  }
  card.step_p50_us = scaled(statistics.step_ns.percentile(0.50), 1e-3);
  card.step_p99_us = scaled(statistics.step_ns.percentile(0.99), 1e-3);
  card.step_max_us = scaled(statistics.step_ns.max(), 1e-3);
  card.allocations = allocations_;
  card.status_counts = status_counts_;
  const auto highest =
      std::find_if(fallback_counts_.rbegin(), fallback_counts_.rend(), [](auto n) { return n > 0; });
  card.fallback_counts.assign(fallback_counts_.begin(), highest.base());
  card.jerk_rms_rad_s3 = statistics.jerk.rms();
  card.state_hash = hash_;
  card.base_speed_max_m_s = statistics.base_speed;
  card.base_acceleration_max_m_s2 = statistics.base_acceleration;
  card.base_excess_max_m_s = statistics.base_excess;
  return card;
}

std::string hash_text(std::uint64_t hash) {
  std::string text(16, '0');
  for (auto digit = text.rbegin(); digit != text.rend(); ++digit, hash >>= 4U) {
    *digit = "0123456789abcdef"[hash & 0xfU];
  }
  return text;
}

}  // namespace panto
