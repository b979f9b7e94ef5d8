#include "panto/ik/joint_limits.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>

#include "panto/base/index.hpp"
#include "panto/math/lanes.hpp"
#include "panto/math/vector_math.hpp"
#include "panto/math/vector_math_inline.hpp"
#include "panto/model/speed_limit.hpp"

namespace panto {

using vector_math::exp_ratio;
using vector_math::inline_tanh;
using vector_math::Ratio;

namespace {

inline double stopping_speed(double distance, double a, double dt) noexcept {
  // with v in [m a dt, (m+1) a dt] the stop takes (m+1) v dt - a dt^2 m (m+1)/2; m is the largest whose start
  // fits
  const double unit = a * dt * dt;
  const double m = std::floor(0.5 * (std::sqrt(1.0 + 8.0 * distance / unit) - 1.0));
  return distance / ((m + 1.0) * dt) + 0.5 * m * a * dt;
}

}  // namespace

double braking_speed(double distance, double a, double dt) noexcept {
  return stopping_speed(distance, a, dt);
}

double speed_towards(double distance, double v_max, double dt, const LimitOptions& options) noexcept {
  if (distance == kInfinity) return v_max;
  const double exact = distance * (1.0 / dt);
  if (distance <= 0.0) return std::max(exact, -v_max);
  switch (options.law) {
    case LimitLaw::None:
      return v_max;
    case LimitLaw::Exact:
      return std::min(v_max, exact);
    case LimitLaw::Tanh: {
      if (v_max == kInfinity) return exact;
      const double cap = options.tanh_discrete_condition ? 1.0 / (v_max * dt) : options.tanh_gain;
      return v_max * inline_tanh(std::min(options.tanh_gain, cap) * distance);
    }
    case LimitLaw::Braking:
      return std::min({v_max, exact, braking_speed(distance, options.max_deceleration, dt)});
  }
  return v_max;
}

namespace {

std::vector<double> to_vector(const Eigen::VectorXd& values) {
  return {values.data(), values.data() + values.size()};
}

std::vector<double> by_slot(const Blocks& blocks, const Eigen::VectorXd& by_dof, double elsewhere) {
  std::vector<double> values(blocks.dof_of_slot.size(), elsewhere);
  for (std::size_t dof = 0; dof < blocks.slot_of_dof.size(); ++dof)
    values[at(blocks.slot_of_dof[dof])] = by_dof[static_cast<Eigen::Index>(dof)];
  return values;
}

}  // namespace

JointLimits::JointLimits(const Model& model, const LimitOptions& options)
    : JointLimits(options, to_vector(model.lower()), to_vector(model.upper()),
                  to_vector(model.velocity_limit())) {}

JointLimits::JointLimits(const Model& model, const Blocks& blocks, const LimitOptions& options)
    : JointLimits(options, by_slot(blocks, model.lower(), -kInfinity),
                  by_slot(blocks, model.upper(), kInfinity),
                  by_slot(blocks, model.velocity_limit(), kInfinity)) {}

JointLimits::JointLimits(const LimitOptions& options, std::vector<double> lower, std::vector<double> upper,
                         std::vector<double> speed)
    : options_(options), lower_(std::move(lower)), upper_(std::move(upper)), speed_(std::move(speed)) {
  const auto positive = [](double value, const char* name, const char* unit) {
    if (!(value > 0.0) || (value == kInfinity && std::string_view(name) != "speed_limit")) {
      throw ConfigError(std::string("limit option '") + name + "' is " + std::to_string(value) +
                        ", must be > 0 " + unit);
    }
  };
  positive(options.speed_limit, "speed_limit", "[rad/s]");
  positive(options.max_deceleration, "max_deceleration", "[rad/s^2]");
  positive(options.tanh_gain, "tanh_gain", "[1/rad]");
  for (double& value : speed_) value = speed_limit_or(value, options.speed_limit);
  for (const double value : speed_) slowness_.push_back(1.0 / value);
  const auto all = [](const std::vector<double>& values, double value) {
    return std::all_of(values.begin(), values.end(), [value](double x) { return x == value; });
  };
  if (options.law == LimitLaw::Tanh) pair_limits();
  unlimited_ = options.law == LimitLaw::None || (all(lower_, -kInfinity) && all(upper_, kInfinity));
}

// Computes the constants of the tanh law of joints with two limits, and the longest step for which all joints
// have the requested gain.
void JointLimits::pair_limits() {
  const double gain = options_.tanh_gain;
  longest_paired_ = gain < 1e100 ? kInfinity : 0.0;  // the squares stay finite
  for (std::size_t i = 0; i < speed_.size(); ++i) {
    decay_.push_back(exp_decay(-2.0 * gain * (upper_[i] - lower_[i])));  // 0 if a limit is missing
    if (lower_[i] == -kInfinity && upper_[i] == kInfinity) continue;
    if (speed_[i] == kInfinity) longest_paired_ = 0.0;
    if (options_.tanh_discrete_condition)
      longest_paired_ = std::min(longest_paired_, 1.0 / (speed_[i] * gain));
  }
}

namespace {

struct Arrays {
  std::size_t n;
  const double *s, *lower, *upper, *speed;
};

// Bound on the speed towards a limit `distance` away, given the law's value inside; outside, the least speed
// back (negative). `rate` is 1/dt.
inline double towards(double distance, double v_max, double law, double rate) noexcept {
  const double back = distance * rate > -v_max ? distance * rate : -v_max;
  const double inside = distance < kInfinity ? law : v_max;
  return distance > 0.0 ? inside : back;
}

// keeps lower <= upper: outside one limit, with the other closer than a step, only a point remains
inline void keep_order(double s, double limit, double& lower, double& upper) noexcept {
  const double back = s > limit ? upper : lower;
  const bool crossed = lower > upper;
  lower = crossed ? back : lower;
  upper = crossed ? back : upper;
}

PANTO_WIDE void exact_bounds(const Arrays& a, double dt, double* lower, double* upper) noexcept {
  const double rate = 1.0 / dt;
#pragma GCC ivdep
  for (std::size_t i = 0; i < a.n; ++i) {
    const double v = a.speed[i], above = a.upper[i] - a.s[i], below = a.s[i] - a.lower[i];
    double up = towards(above, v, above * rate < v ? above * rate : v, rate);
    double down = -towards(below, v, below * rate < v ? below * rate : v, rate);
    keep_order(a.s[i], a.upper[i], down, up);
    lower[i] = down;
    upper[i] = up;
  }
}

// v tanh(K d); without a speed limit d/dt. `slowness` is 1/v.
PANTO_WIDE void tanh_bounds(const Arrays& a, const double* slowness, double dt, double gain, bool discrete,
                            double* lower, double* upper) noexcept {
  const double rate = 1.0 / dt;
#pragma GCC ivdep
  for (std::size_t i = 0; i < a.n; ++i) {
    const double v = a.speed[i], above = a.upper[i] - a.s[i], below = a.s[i] - a.lower[i];
    const double cap = discrete ? slowness[i] * rate : gain;
    const double K = cap < gain ? cap : gain;
    const bool limited = v < kInfinity;
    const double fast = v * inline_tanh(K * above), slow = v * inline_tanh(K * below);
    double up = towards(above, v, limited ? fast : above * rate, rate);
    double down = -towards(below, v, limited ? slow : below * rate, rate);
    keep_order(a.s[i], a.upper[i], down, up);
    lower[i] = down;
    upper[i] = up;
  }
}

// The same if all gains are K: both limits share an exponential. With e = exp(-2 K d) of the nearer limit,
// d away, and the constant C = exp(-2 K range), exp(-2 K (range - d)) of the farther one is C/e:
//   tanh(K d) = (1 - e)/(1 + e),  tanh(K (range - d)) = (e - C)/(e + C),
// and e is itself a quotient: one division for all. Absolute error below 4e-15 of v. Returns false if a joint
// is not between its limits: its bounds are not final yet.
PANTO_WIDE bool paired_tanh_bounds(const Arrays& a, const double* decay, double gain, double* lower,
                                   double* upper) noexcept {
  const double minus_twice = -2.0 * gain, reach = 150.0 / gain;  // beyond which tanh is 1
  std::int64_t outside = 0;
#pragma GCC ivdep
  for (std::size_t i = 0; i < a.n; ++i) {
    const double v = a.speed[i], above = a.upper[i] - a.s[i], below = a.s[i] - a.lower[i];
    const double nearest = above < below ? above : below;
    outside += nearest > 0.0 ? 0 : 1;
    const double in_reach = nearest < reach ? nearest : reach;
    const Ratio e = exp_ratio(minus_twice * (in_reach > -reach ? in_reach : -reach));
    const double C = decay[i] * e.under;
    const double one_and_e = e.under + e.over, e_and_C = e.over + C, v_by_both = v / (one_and_e * e_and_C);
    const double to_near = (e.under - e.over) * e_and_C * v_by_both;
    const double to_far = (e.over - C) * one_and_e * v_by_both;
    // clamps what rounding has moved out of [0, v]; e <= 1 without rounding
    const double near = to_near < v ? to_near : v, some = to_far > 0.0 ? to_far : 0.0;
    const double far = some < v ? some : v;
    upper[i] = above < below ? near : far;
    lower[i] = above < below ? -far : -near;
  }
  return outside == 0;
}

// tanh is concave, so 0.76 min(1, x) < tanh(1) min(1, x) <= tanh(x). Returns false if a joint is not between
// its limits, or so close to one that rounding matters.
PANTO_WIDE bool bounds_inside_tanh(const Arrays& a, double gain, double* lower, double* upper) noexcept {
  constexpr double kShare = 0.76, kLeast = 1e-9;
  std::int64_t outside = 0;
#pragma GCC ivdep
  for (std::size_t i = 0; i < a.n; ++i) {
    const double v = kShare * a.speed[i];
    const double above = gain * (a.upper[i] - a.s[i]), below = gain * (a.s[i] - a.lower[i]);
    const double nearest = above < below ? above : below;
    outside += nearest > kLeast ? 0 : 1;
    upper[i] = v * (above < 1.0 ? above : 1.0);
    lower[i] = -v * (below < 1.0 ? below : 1.0);
  }
  return outside == 0;
}

// Sets bounds that lead back for joints that are not between their limits; the others keep theirs.
PANTO_WIDE void send_back(const Arrays& a, double dt, double* lower, double* upper) noexcept {
  const double rate = 1.0 / dt;
#pragma GCC ivdep
  for (std::size_t i = 0; i < a.n; ++i) {
    const double v = a.speed[i];
    double up = towards(a.upper[i] - a.s[i], v, upper[i], rate);
    double down = -towards(a.s[i] - a.lower[i], v, -lower[i], rate);
    keep_order(a.s[i], a.upper[i], down, up);
    lower[i] = down;
    upper[i] = up;
  }
}

// The least of v, d/dt and the speed from which the stop fits; values for distances <= 0 are not used.
PANTO_WIDE void braking_bounds(const Arrays& a, double dt, double deceleration, double* lower,
                               double* upper) noexcept {
  const double rate = 1.0 / dt;
  const auto law = [=](double distance, double v) {
    const double stop = stopping_speed(distance, deceleration, dt), exact = distance * rate;
    const double least = stop < exact ? stop : exact;
    return least < v ? least : v;
  };
#pragma GCC ivdep
  for (std::size_t i = 0; i < a.n; ++i) {
    const double v = a.speed[i], above = a.upper[i] - a.s[i], below = a.s[i] - a.lower[i];
    double up = towards(above, v, law(above, v), rate);
    double down = -towards(below, v, law(below, v), rate);
    keep_order(a.s[i], a.upper[i], down, up);
    lower[i] = down;
    upper[i] = up;
  }
}

}  // namespace

void JointLimits::velocity_bounds(const double* s, double dt, double* lower, double* upper) const noexcept {
  const Arrays arrays{speed_.size(), s, lower_.data(), upper_.data(), speed_.data()};
  if (unlimited_) {
    for (std::size_t i = 0; i < arrays.n; ++i) {
      upper[i] = speed_[i];
      lower[i] = -speed_[i];
    }
    return;
  }
  switch (options_.law) {
    case LimitLaw::None:
      break;
    case LimitLaw::Exact:
      return exact_bounds(arrays, dt, lower, upper);
    case LimitLaw::Tanh:
      if (dt > longest_paired_)
        return tanh_bounds(arrays, slowness_.data(), dt, options_.tanh_gain, options_.tanh_discrete_condition,
                           lower, upper);
      if (!paired_tanh_bounds(arrays, decay_.data(), options_.tanh_gain, lower, upper))
        send_back(arrays, dt, lower, upper);
      return;
    case LimitLaw::Braking:
      return braking_bounds(arrays, dt, options_.max_deceleration, lower, upper);
  }
}

bool JointLimits::inner_bounds(const double* s, double dt, double* lower, double* upper) const noexcept {
  if (unlimited_ || options_.law != LimitLaw::Tanh || dt > longest_paired_) return false;
  const Arrays arrays{speed_.size(), s, lower_.data(), upper_.data(), speed_.data()};
  return bounds_inside_tanh(arrays, options_.tanh_gain, lower, upper);
}

void JointLimits::narrow(const Eigen::VectorXd& s, double dt, Eigen::VectorXd& lower,
                         Eigen::VectorXd& upper) const noexcept {
  for (Eigen::Index i = 0; i < s.size(); ++i) {
    const double reach = dt * speed_[static_cast<std::size_t>(i)];
    lower[i] = std::clamp(lower[i], s[i] - reach, s[i] + reach);
    upper[i] = std::clamp(upper[i], s[i] - reach, s[i] + reach);
  }
}

}  // namespace panto
