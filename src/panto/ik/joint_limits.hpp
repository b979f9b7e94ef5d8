#pragma once
// Converts joint limits to velocity bounds for one step. The tree solver only sees the arrays.

#include <Eigen/Core>
#include <vector>

#include "panto/ik/solver_options.hpp"
#include "panto/model/blocks.hpp"
#include "panto/model/model.hpp"

namespace panto {

/// Velocity bounds of all joints.
class JointLimits {
 public:
  /// In State::s order. @throws ConfigError if an option is out of range.
  JointLimits(const Model& model, const LimitOptions& options);
  /// By slot of `blocks`; slots without a joint are unlimited.
  JointLimits(const Model& model, const Blocks& blocks, const LimitOptions& options);

  /// Computes bounds for a step of `dt` [s] from joints at `s`, by State::s order. Always lower <= upper. A
  /// joint outside its limit is sent back, within its speed limit. Without a speed limit, Tanh becomes d/dt,
  /// and only stopping and d/dt limit Braking.
  void velocity_bounds(const double* s, double dt, double* lower, double* upper) const noexcept;
  void velocity_bounds(const Eigen::VectorXd& s, double dt, Eigen::VectorXd& lower,
                       Eigen::VectorXd& upper) const noexcept {
    velocity_bounds(s.data(), dt, lower.data(), upper.data());
  }

  /// Computes narrower bounds faster: rates inside them need no others. Returns false if there are none: the
  /// law is as fast, its gain is reduced for this step length, or a joint is at or beyond its limit.
  [[nodiscard]] bool inner_bounds(const double* s, double dt, double* lower, double* upper) const noexcept;

  /// Narrows the box lower <= s <= upper, by State::s order, to what joints at `s` can reach in `dt` [s]. A
  /// box out of reach becomes the nearest reachable point.
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

/// Returns the bound on the speed towards a limit that is `distance` away, for a step of `dt` and a speed
/// limit `v_max`; negative: outside, the least speed back.
[[nodiscard]] double speed_towards(double distance, double v_max, double dt,
                                   const LimitOptions& options) noexcept;

/// Returns the largest speed from which steps of `dt`, each slower by max_deceleration dt, stop within
/// `distance` >= 0: v dt + (v - a dt) dt + ... <= distance.
[[nodiscard]] double braking_speed(double distance, double max_deceleration, double dt) noexcept;

}  // namespace panto
