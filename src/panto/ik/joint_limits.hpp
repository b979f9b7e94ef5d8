#pragma once
// From joint limits to velocity bounds for one step. The tree solver takes plain arrays and knows nothing of
// these laws.

#include <Eigen/Core>
#include <vector>

#include "panto/ik/solver_options.hpp"
#include "panto/model/blocks.hpp"
#include "panto/model/model.hpp"

namespace panto {

/// Velocity bounds of all joints.
class JointLimits {
 public:
  /// By State::s order. @throws ConfigError when an option is out of range.
  JointLimits(const Model& model, const LimitOptions& options);
  /// By slot of `blocks`; slots without a joint are unlimited.
  JointLimits(const Model& model, const Blocks& blocks, const LimitOptions& options);

  /// Bounds for a step of `dt` [s] from joints at `s`, by State::s order. Always lower <= upper. A joint
  /// outside its limit is sent back, not faster than its speed limit. Without a speed limit, Tanh and Braking
  /// count v_max as infinite resp. as d/dt.
  void velocity_bounds(const double* s, double dt, double* lower, double* upper) const noexcept;
  void velocity_bounds(const Eigen::VectorXd& s, double dt, Eigen::VectorXd& lower,
                       Eigen::VectorXd& upper) const noexcept {
    velocity_bounds(s.data(), dt, lower.data(), upper.data());
  }

  /// Narrower bounds than those, found faster: what keeps them needs no others. False where there are none:
  /// the law is as fast, its gain is cut for so long a step, or a joint is at its limit or beyond.
  [[nodiscard]] bool inner_bounds(const double* s, double dt, double* lower, double* upper) const noexcept;

  /// Narrows the box lower <= s <= upper, by State::s order, to what joints at `s` reach in `dt` [s]. Where
  /// it is out of reach the box becomes its nearest point that is not.
  void narrow(const Eigen::VectorXd& s, double dt, Eigen::VectorXd& lower,
              Eigen::VectorXd& upper) const noexcept;

  /// Limits and speed limits in force, in the order of the constructor.
  [[nodiscard]] const std::vector<double>& lower() const noexcept { return lower_; }
  [[nodiscard]] const std::vector<double>& upper() const noexcept { return upper_; }
  [[nodiscard]] const std::vector<double>& speed() const noexcept { return speed_; }

 private:
  JointLimits(const LimitOptions& options, std::vector<double> lower, std::vector<double> upper,
              std::vector<double> speed);

  void pair_limits();

  LimitOptions options_;
  std::vector<double> lower_, upper_, speed_;
  std::vector<double> slowness_;  // 1/speed
  bool unlimited_ = false;        // speed limits only
  std::vector<double> decay_;     // Tanh: exp(-2 K_g range)
  double longest_paired_ = 0.0;   // the longest step [s] for which all joints have the gain K_g
};

/// Bound on the speed towards a limit that is `distance` away, for a step of `dt` and a speed limit `v_max`;
/// negative: outside, the least speed back.
[[nodiscard]] double speed_towards(double distance, double v_max, double dt,
                                   const LimitOptions& options) noexcept;

/// Largest speed from which steps of `dt`, each slower by max_deceleration dt, stop within `distance` >= 0:
/// v dt + (v - a dt) dt + ... <= distance.
[[nodiscard]] double braking_speed(double distance, double max_deceleration, double dt) noexcept;

}  // namespace panto
