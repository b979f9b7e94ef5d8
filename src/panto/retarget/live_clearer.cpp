#include "panto/retarget/live_clearer.hpp"

#include <algorithm>
#include <cmath>

#include "panto/base/error.hpp"
#include "panto/base/finite_options.hpp"
#include "panto/base/index.hpp"
#include "panto/math/elementary.hpp"
#include "panto/model/speed_limit.hpp"
#include "panto/motion/spring.hpp"

namespace panto {
namespace {

constexpr double kNear = 0.05;  // [m] pairs within it are rows
constexpr int kIterations = 3;
constexpr double kMet = 0.0002;   // [m]
constexpr double kBack = 1e-6;    // [rad] a smaller change counts as zero
constexpr double kLongest = 0.1;  // [s] of a step that counts

}  // namespace

LiveClearer::LiveClearer(const Model& model, const ClearBody& body, const LiveClearerOptions& options)
    : model_(&model), options_(options), frame_(model, body.body, options.obstacles, body.giving) {
  check_finite("live clearing",
               {{"margin", options.margin}, {"approach", options.approach}, {"back", options.back}});
  if (!(options.margin >= 0.0) || !(options.approach > 0.0) || !(options.back > 0.0))
    throw ConfigError("live clearing: need margin >= 0, and `approach` and `back` above 0");
  const auto size = static_cast<Index>(frame_.joints().size());
  for (Eigen::VectorXd* v : {&off_, &rate_, &old_, &x_, &base_, &lower_, &upper_}) v->setZero(size);
  distance_.resize(frame_.body().keys());
  now_.resize(distance_.size());
  holding_.resize(distance_.size());
  reset();
}

void LiveClearer::reset() noexcept {
  off_.setZero();
  rate_.setZero();
  std::fill(distance_.begin(), distance_.end(), options_.margin + kNear);
  std::fill(holding_.begin(), holding_.end(), 0);
}

void LiveClearer::set_bounds(const State* before, double dt) noexcept {
  for (Index i = 0; i < base_.size(); ++i) {
    const int j = frame_.joints()[static_cast<std::size_t>(i)];
    const double now = base_[i] + off_[i];
    lower_[i] = model_->lower()[j];
    upper_[i] = model_->upper()[j];
    if (before != nullptr) {
      const double most = dt * speed_limit_of(*model_, j, options_.speed_limit);
      lower_[i] = std::max(lower_[i], before->s[j] - most);
      upper_[i] = std::min(upper_[i], before->s[j] + most);
    }
    lower_[i] = std::min(lower_[i], now) - now;
    upper_[i] = std::max(upper_[i], now) - now;
  }
}

// The way back and the State's own movement add up: together they keep the speed limits.
void LiveClearer::keep_speed(const State& before, double dt) noexcept {
  for (Index i = 0; i < base_.size(); ++i) {
    const int j = frame_.joints()[static_cast<std::size_t>(i)];
    const double most = dt * speed_limit_of(*model_, j, options_.speed_limit);
    off_[i] = std::clamp(base_[i] + off_[i], before.s[j] - most, before.s[j] + most) - base_[i];
  }
}

// Adds a row for every near pair; `share`: of its last distance beyond the margin that must be left. Returns
// whether a pair is nearer than that.
bool LiveClearer::add_rows(double share) noexcept {
  frame_.change().clear();
  std::fill(now_.begin(), now_.end(), options_.margin + kNear);
  std::fill(holding_.begin(), holding_.end(), 0);
  bool violated = false;
  for (const BodyGap& gap : frame_.near_pairs()) {
    const std::size_t key = at(gap.key);
    const double least = options_.margin + share * (distance_[key] - options_.margin);
    violated = violated || gap.distance < least - kMet;
    now_[key] = gap.distance;
    holding_[key] = gap.distance < least + kMet ? 1 : 0;
    const Eigen::VectorXd& row = frame_.row(gap);
    frame_.change().add(row, least - gap.distance + row.dot(x_));
  }
  return violated;
}

void LiveClearer::clear(const State* before, double dt, bool follows, State& state) noexcept {
  if (!able() || !state.s.allFinite()) return;
  if (before == nullptr) reset();
  const double interval = std::max(dt, 0.0);
  dt = std::clamp(dt, 0.0, kLongest);
  old_ = off_;
  for (Index i = 0; i < base_.size(); ++i) {
    base_[i] = state.s[frame_.joints()[static_cast<std::size_t>(i)]];
    if (follows || before == nullptr)
      off_[i] = rate_[i] = 0.0;
    else
      detail::settle(options_.back, dt, off_[i], rate_[i]);
  }
  if (off_.lpNorm<Eigen::Infinity>() < kBack) off_.setZero();
  if (before != nullptr && !follows) keep_speed(*before, interval);
  set_bounds(before, dt);
  x_.setZero();
  const double share = before == nullptr ? 0.0 : panto::exp(-dt / options_.approach);
  const auto move = [&] {
    for (Index i = 0; i < base_.size(); ++i) {
      const int j = frame_.joints()[static_cast<std::size_t>(i)];
      if (off_[i] != 0.0 || x_[i] != 0.0)
        state.s[j] = std::clamp(base_[i] + off_[i] + x_[i], std::min(base_[i], model_->lower()[j]),
                                std::max(base_[i], model_->upper()[j]));
    }
  };
  move();
  for (int i = 0;; ++i) {
    frame_.update(state, options_.margin + kNear);
    if (!add_rows(share) || i == kIterations) break;
    frame_.change().solve(lower_, upper_, x_);
    move();
  }
  distance_ = now_;
  for (Index i = 0; i < base_.size(); ++i) {
    const int j = frame_.joints()[static_cast<std::size_t>(i)];
    off_[i] = state.s[j] - base_[i];
    if (dt > 0.0 && before != nullptr && !follows) rate_[i] = (off_[i] - old_[i]) / dt;
    if (follows && before != nullptr && dt > 0.0 && off_[i] != 0.0)
      state.sdot[j] = (state.s[j] - before->s[j]) / dt;
  }
}

}  // namespace panto
