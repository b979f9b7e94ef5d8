#pragma once
// Times a path: time-optimal under speed and acceleration limits, from rest to rest. [Pham and Pham 2018, "A
// New Approach to Time-Optimal Path Parameterization Based on Reachability Analysis", IEEE Trans. Robotics
// 34(3)]; docs/algorithms/time_scaling.md lists the differences.

#include <Eigen/Core>
#include <vector>

#include "panto/motion/joint_curves.hpp"

namespace panto {

/// Limits of every joint of the curves (infinity: none) and of the path.
struct PathLimits {
  Eigen::VectorXd speed;         ///< [rad/s] or [m/s], > 0
  Eigen::VectorXd acceleration;  ///< [rad/s^2] or [m/s^2], > 0
  double rate = 1.0;             ///< largest du/dt, > 0 and finite; 1: never faster than recorded
  bool rest_at_ends = true;      ///< joints with limited acceleration that move at an end of the path are
                                 ///< brought to rest there
};

/// Tells whether a joint with limited acceleration moves at the first (0) or last (1) sample.
[[nodiscard]] bool moves_at_end(const JointCurves& curves, const PathLimits& limits, int end);

/// Position on the path at one time: path time u [s] and its rates.
struct PathPoint {
  double u = 0.0;
  double rate = 0.0;      ///< du/dt
  double rate_dot = 0.0;  ///< d2u/dt2 [1/s]
};

/// The time law u(t) for curves q(u): du/dt is continuous, d2u/dt2 constant within each cell of a grid over
/// u.
class PathTiming {
 public:
  /// Uniform: u = rate t.
  PathTiming(double path_duration, double rate);
  /// As fast as `limits` allow, for curves of at least two samples. Within every cell, not only on the grid,
  ///   |dq/dt| <= speed,  |d2q/dt2| <= acceleration.
  /// Always succeeds. O(cells joints), cells <= samples + 1000.
  /// @throws ConfigError for limits that are not > 0 or have another number of joints.
  PathTiming(const JointCurves& curves, const PathLimits& limits);

  [[nodiscard]] double duration() const noexcept { return t_.back(); }  ///< [s]
  [[nodiscard]] PathPoint at(double t) const noexcept;                  ///< t in [0, duration()]
  [[nodiscard]] int cells() const noexcept { return static_cast<int>(u_.size()) - 1; }
  /// Grid points: u, du/dt and t.
  [[nodiscard]] const std::vector<double>& grid() const noexcept { return u_; }
  [[nodiscard]] const std::vector<double>& rates() const noexcept { return rate_; }
  [[nodiscard]] const std::vector<double>& times() const noexcept { return t_; }

 private:
  std::vector<double> u_, rate_, t_;
};

/// The largest uniform rate <= 1 for the whole path: min over joints of speed / peak speed and of
/// sqrt(acceleration / peak acceleration). [Tee et al.] Eqs. (43), (44), Departure: the smallest over joints
/// and frames, and never above 1.
struct UniformRate {
  double rate = 1.0;
  int joint = -1;             ///< limiting joint; -1: none
  bool acceleration = false;  ///< limited by its acceleration
  double time = 0.0;          ///< [s] since the first sample
};
[[nodiscard]] UniformRate uniform_rate(const JointCurves& curves, const PathLimits& limits);

}  // namespace panto
