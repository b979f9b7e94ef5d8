#include "panto/evaluation/metrics.hpp"

#include <algorithm>
#include <cmath>

#include "panto/math/so3.hpp"
#include "panto/math/vector_math.hpp"

namespace panto {
namespace {

// stamps are rounded to nanoseconds, so equal intervals may differ by two
constexpr double kEqualInterval = 2.5e-9;

}  // namespace

void SampleStatistics::add(double value) {
  if (!std::isfinite(value)) return;
  max_ = values_.empty() ? value : std::max(max_, value);
  sum_ += value;
  values_.push_back(value);
}

std::optional<double> SampleStatistics::mean() const noexcept {
  if (values_.empty()) return std::nullopt;
  return sum_ / static_cast<double>(values_.size());
}

std::optional<double> SampleStatistics::max() const noexcept {
  if (values_.empty()) return std::nullopt;
  return max_;
}

std::optional<double> SampleStatistics::percentile(double share) const {
  if (values_.empty()) return std::nullopt;
  const double rank = std::ceil(share * static_cast<double>(values_.size()));
  const auto index =
      static_cast<std::size_t>(std::clamp(rank - 1.0, 0.0, static_cast<double>(values_.size() - 1)));
  std::vector<double> sorted = values_;
  const auto nth = sorted.begin() + static_cast<std::ptrdiff_t>(index);
  std::nth_element(sorted.begin(), nth, sorted.end());
  return *nth;
}

void RootMeanSquare::add(double squared_norm) noexcept {
  if (!std::isfinite(squared_norm)) return;
  sum_ += squared_norm;
  ++count_;
}

std::optional<double> RootMeanSquare::value(double divisor) const noexcept {
  if (count_ == 0) return std::nullopt;
  return std::sqrt(sum_ / (divisor * static_cast<double>(count_)));
}

void OrientationError::add(const Eigen::Matrix3d& R_target, const Eigen::Matrix3d& R) {
  const double theta = so3::distance(R_target, R);
  angle_.add(theta);
  if (!std::isfinite(theta)) return;
  // 1 - cos(theta) without cancellation for small angles
  const double half = sincos(0.5 * theta).sin;
  trace_sum_ += 2.0 * half * half;
}

std::optional<double> OrientationError::mnte() const noexcept {
  if (angle_.count() == 0) return std::nullopt;
  return trace_sum_ / static_cast<double>(angle_.count());
}

void LimitViolations::add(const State& state) noexcept {
  for (int i = 0; i < model_->dof(); ++i) {
    const double outside = std::max(model_->lower()[i] - state.s[i], state.s[i] - model_->upper()[i]);
    if (!(outside > tolerance_)) continue;
    ++count_;
    if (model_->joint(i).type != JointType::Prismatic) max_angle_ = std::max(max_angle_, outside);
  }
}

JointJerk::JointJerk(const Model& model) : model_(&model) {
  for (Eigen::VectorXd& s : s_) s = Eigen::VectorXd::Zero(model.dof());
}

void JointJerk::add(const State& state) noexcept {
  newest_ = (newest_ + 1) % 4;
  s_[newest_] = state.s;
  t_[newest_] = state.t;
  frames_ = std::min(frames_ + 1, 4);
  if (frames_ < 4) return;

  // entry k frames before the newest
  const auto before = [this](std::size_t k) { return (newest_ + 4 - k) % 4; };
  const auto interval = [&](std::size_t k) {
    return to_seconds(t_[before(k)]) - to_seconds(t_[before(k + 1)]);
  };
  const double dt = (to_seconds(t_[before(0)]) - to_seconds(t_[before(3)])) / 3.0;
  const double spread =
      std::max({std::abs(interval(0) - dt), std::abs(interval(1) - dt), std::abs(interval(2) - dt)});
  if (!(dt > 0.0) || spread > kEqualInterval) return;

  for (int i = 0; i < model_->dof(); ++i) {
    if (model_->joint(i).type != JointType::Revolute) continue;
    const double difference =
        (s_[before(0)][i] - s_[before(3)][i]) - 3.0 * (s_[before(1)][i] - s_[before(2)][i]);
    const double jerk = difference / (dt * dt * dt);
    jerk_.add(jerk * jerk);
    most_ = std::max(most_.value_or(0.0), std::abs(jerk));
  }
}

}  // namespace panto
