#include "panto/ik/joint_limits.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "panto/base/index.hpp"
#include "panto/math/lanes.hpp"
#include "panto/math/vector_math.hpp"
#include "panto/math/vector_math_inline.hpp"

namespace panto {

using vector_math::inline_tanh;

double braking_speed(double distance, double a, double dt) noexcept {
  // with v in [m a dt, (m+1) a dt] the stop takes (m+1) v dt - a dt^2 m (m+1)/2; m is the largest whose start
  // fits
  const double unit = a * dt * dt;
  const double m = std::floor(0.5 * (std::sqrt(1.0 + 8.0 * distance / unit) - 1.0));
  return distance / ((m + 1.0) * dt) + 0.5 * m * a * dt;
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
    if (!(value > 0.0)) {
      throw ConfigError(std::string("limit option '") + name + "' is " + std::to_string(value) +
                        ", must be > 0 " + unit);
    }
  };
  positive(options.speed_limit, "speed_limit", "[rad/s]");
  positive(options.max_deceleration, "max_deceleration", "[rad/s^2]");
  positive(options.tanh_gain, "tanh_gain", "[1/rad]");
  for (double& value : speed_) {
    if (value == kInfinity) value = options.speed_limit;
  }
  for (const double value : speed_) slowness_.push_back(1.0 / value);
  const auto all = [](const std::vector<double>& values, double value) {
    return std::all_of(values.begin(), values.end(), [value](double x) { return x == value; });
  };
  unlimited_ = options.law == LimitLaw::None || (all(lower_, -kInfinity) && all(upper_, kInfinity));
}

namespace {

struct Arrays {
  std::size_t n;
  const double *s, *lower, *upper, *speed;
};

// The bound on the speed towards a limit `distance` away, given what the law allows inside; outside it is the
// least speed back (negative). `rate` is 1/dt.
inline double towards(double distance, double v_max, double law, double rate) noexcept {
  const double back = distance * rate > -v_max ? distance * rate : -v_max;
  const double inside = distance < kInfinity ? law : v_max;
  return distance > 0.0 ? inside : back;
}

// lower <= upper: outside one limit with the other closer than a step, what is left is a point
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

void braking_bounds(const Arrays& a, double dt, double deceleration, double* lower, double* upper) noexcept {
  const auto law = [&](double distance, double v) {
    if (!(distance > 0.0 && distance < kInfinity)) return v;
    return std::min({v, distance / dt, braking_speed(distance, deceleration, dt)});
  };
  for (std::size_t i = 0; i < a.n; ++i) {
    const double v = a.speed[i], above = a.upper[i] - a.s[i], below = a.s[i] - a.lower[i];
    lower[i] = -towards(below, v, law(below, v), 1.0 / dt);
    upper[i] = towards(above, v, law(above, v), 1.0 / dt);
    keep_order(a.s[i], a.upper[i], lower[i], upper[i]);
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
      return tanh_bounds(arrays, slowness_.data(), dt, options_.tanh_gain, options_.tanh_discrete_condition,
                         lower, upper);
    case LimitLaw::Braking:
      return braking_bounds(arrays, dt, options_.max_deceleration, lower, upper);
  }
}

}  // namespace panto
