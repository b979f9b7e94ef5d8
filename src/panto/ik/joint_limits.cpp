#include "panto/ik/joint_limits.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "panto/math/vector_math.hpp"

namespace panto {

double braking_speed(double distance, double a, double dt) noexcept {
  // with v in [m a dt, (m+1) a dt] the stop takes (m+1) v dt - a dt^2 m (m+1)/2; m is the largest whose start
  // fits
  const double unit = a * dt * dt;
  const double m = std::floor(0.5 * (std::sqrt(1.0 + 8.0 * distance / unit) - 1.0));
  return distance / ((m + 1.0) * dt) + 0.5 * m * a * dt;
}

double speed_towards(double distance, double v_max, double dt, const LimitOptions& options) noexcept {
  if (distance == kInfinity) return v_max;
  if (distance <= 0.0) return std::max(distance / dt, -v_max);
  const double exact = distance / dt;
  switch (options.law) {
    case LimitLaw::None:
      return v_max;
    case LimitLaw::Exact:
      return std::min(v_max, exact);
    case LimitLaw::Tanh: {
      if (v_max == kInfinity) return exact;
      const double gain = options.tanh_discrete_condition ? std::min(options.tanh_gain, 1.0 / (v_max * dt))
                                                          : options.tanh_gain;
      return v_max * tanh(gain * distance);
    }
    case LimitLaw::Braking:
      return std::min({v_max, exact, braking_speed(distance, options.max_deceleration, dt)});
  }
  return v_max;
}

JointLimits::JointLimits(const Model& model, const LimitOptions& options)
    : options_(options), lower_(model.lower()), upper_(model.upper()), speed_(model.velocity_limit()) {
  const auto positive = [](double value, const char* name, const char* unit) {
    if (!(value > 0.0)) {
      throw ConfigError(std::string("limit option '") + name + "' is " + std::to_string(value) +
                        ", must be > 0 " + unit);
    }
  };
  positive(options.speed_limit, "speed_limit", "[rad/s]");
  positive(options.max_deceleration, "max_deceleration", "[rad/s^2]");
  positive(options.tanh_gain, "tanh_gain", "[1/rad]");
  for (double& speed : speed_) {
    if (speed == kInfinity) speed = options.speed_limit;
  }
  unlimited_ = options.law == LimitLaw::None ||
               ((lower_.array() == -kInfinity).all() && (upper_.array() == kInfinity).all());
}

void JointLimits::velocity_bounds(const Eigen::VectorXd& s, double dt, Eigen::VectorXd& lower,
                                  Eigen::VectorXd& upper) const noexcept {
  const bool unlimited = unlimited_;
  for (Eigen::Index i = 0; i < speed_.size(); ++i) {
    const double v_max = speed_[i];
    upper[i] = unlimited ? v_max : speed_towards(upper_[i] - s[i], v_max, dt, options_);
    lower[i] = unlimited ? -v_max : -speed_towards(s[i] - lower_[i], v_max, dt, options_);
    // lo = hi, or outside one limit with the other closer than a step: what is left is a point
    if (lower[i] > upper[i]) {
      const double back = s[i] > upper_[i] ? upper[i] : lower[i];
      lower[i] = upper[i] = back;
    }
  }
}

}  // namespace panto
