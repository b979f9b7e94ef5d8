#include "panto/live/stream_follower.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "panto/base/error.hpp"
#include "panto/base/text.hpp"
#include "panto/ik/joint_limits.hpp"
#include "panto/math/so3.hpp"

namespace panto::live {
namespace {

constexpr double kTickSeconds = 1e-3;
constexpr Time kLongestGap = 100'000'000;  // [ns]

void check(double value, bool zero_allowed, const char* name) {
  if (std::isfinite(value) && (value > 0.0 || (zero_allowed && value == 0.0))) return;
  throw ConfigError(std::string("follower option '") + name + "' is " + digits(value, 6) + ", must be " +
                    (zero_allowed ? ">= 0" : "> 0"));
}

// v, shortened by at most `change`, not past zero
Eigen::Vector3d slowed(const Eigen::Vector3d& v, double change) noexcept {
  const double speed = v.norm();
  return speed <= change ? Eigen::Vector3d::Zero() : Eigen::Vector3d{v * (1.0 - change / speed)};
}

}  // namespace

const char* to_string(FollowMode mode) noexcept {
  switch (mode) {
    case FollowMode::Waiting:
      return "waiting";
    case FollowMode::Following:
      return "following";
    case FollowMode::Stopping:
      return "stopping";
    case FollowMode::Holding:
      return "holding";
  }
  return "unknown";
}

StreamFollower::StreamFollower(const Model& model, const State& start, Time now,
                               const FollowerOptions& options)
    : model_(&model),
      options_(options),
      speed_(model.velocity_limit().cwiseMin(
          model.velocity_limit()
              .array()
              .isFinite()
              .select(kInfinity, Eigen::ArrayXd::Constant(model.dof(), options.speed_limit))
              .matrix())),
      state_(start),
      now_(now) {
  check(options.stale_after, false, "stale_after");
  check(options.max_acceleration, false, "max_acceleration");
  check(options.speed_limit, false, "speed_limit");
  check(options.gain, false, "gain");
  check(options.max_extrapolation, true, "max_extrapolation");
  check(options.max_base_acceleration, false, "max_base_acceleration");
  if (!is_valid(start, model))
    throw ConfigError("follower: the start state does not fit model '" + model.name() + "'");
  state_.sdot.setZero();
  state_.v_WB.setZero();
  state_.w_WB.setZero();
  reference_ = state_;
}

void StreamFollower::follow(const State& reference, bool valid, Time now) noexcept {
  if (!is_valid(reference, *model_)) return;
  step(now);
  if (!valid) {
    stop();
    return;
  }
  reference_ = reference;
  arrived_ = now;
  mode_ = FollowMode::Following;
  state_.p_WB = reference.p_WB;
  state_.R_WB = reference.R_WB;
  state_.v_WB = reference.v_WB;
  state_.w_WB = reference.w_WB;
}

void StreamFollower::stop() noexcept {
  if (mode_ == FollowMode::Following) mode_ = FollowMode::Stopping;
}

const State& StreamFollower::step(Time now) noexcept {
  if (now - now_ > kLongestGap) now_ = now - kLongestGap;
  for (; now - now_ >= kTick; now_ += kTick) tick(to_seconds(now_ + kTick - arrived_));
  if (mode_ != FollowMode::Waiting) state_.t = later_by(reference_.t, now_ - arrived_);
  return state_;
}

void StreamFollower::tick(double age) noexcept {
  if (mode_ == FollowMode::Following && age > options_.stale_after) mode_ = FollowMode::Stopping;
  if (mode_ == FollowMode::Waiting || mode_ == FollowMode::Holding) return;
  step_joints(std::max(age, 0.0));
  if (mode_ != FollowMode::Stopping) return;
  step_base();
  if (at_rest()) mode_ = FollowMode::Holding;
}

// Moves joints towards the reference, at a speed from which they can still stop there. Bounds speed and
// acceleration of the state itself, so that no input can break them.
void StreamFollower::step_joints(double age) noexcept {
  const bool follow = mode_ == FollowMode::Following;
  const bool runs_on = follow && age <= options_.max_extrapolation;
  const double ahead = std::min(age, options_.max_extrapolation);
  const double a = options_.max_acceleration;
  for (Eigen::Index i = 0; i < state_.s.size(); ++i) {
    double& s = state_.s[i];
    double& v = state_.sdot[i];
    double wanted = 0.0;
    if (follow) {
      const double error = reference_.s[i] + reference_.sdot[i] * ahead - s;
      const double approach =
          std::min(options_.gain * std::abs(error), braking_speed(std::abs(error), a, kTickSeconds));
      wanted = (runs_on ? reference_.sdot[i] : 0.0) + std::copysign(approach, error);
    }
    const double up = model_->upper()[i] - s, down = s - model_->lower()[i];
    if (up < kInfinity) wanted = std::min(wanted, braking_speed(std::max(up, 0.0), a, kTickSeconds));
    if (down < kInfinity) wanted = std::max(wanted, -braking_speed(std::max(down, 0.0), a, kTickSeconds));
    v = std::clamp(std::clamp(wanted, v - a * kTickSeconds, v + a * kTickSeconds), -speed_[i], speed_[i]);
    s += v * kTickSeconds;
  }
}

void StreamFollower::step_base() noexcept {
  const double a = options_.max_base_acceleration;
  state_.v_WB = slowed(state_.v_WB, a * kTickSeconds);
  state_.w_WB = slowed(state_.w_WB, 5.0 * a * kTickSeconds);
  state_.p_WB += kTickSeconds * state_.v_WB;
  if (!state_.w_WB.isZero(0.0))
    state_.R_WB = so3::polar_step(so3::exp(kTickSeconds * state_.w_WB) * state_.R_WB);
}

bool StreamFollower::at_rest() const noexcept {
  return state_.sdot.isZero(0.0) && state_.v_WB.isZero(0.0) && state_.w_WB.isZero(0.0);
}

}  // namespace panto::live
