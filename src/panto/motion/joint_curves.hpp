#pragma once
// Smooth curves through the samples of all joints, with exact largest speeds and accelerations.

#include <Eigen/Core>
#include <span>
#include <utility>
#include <vector>

#include "panto/base/time.hpp"

namespace panto {

/// Value, first and second time derivative of all joints at one instant.
struct JointCurvePoint {
  Eigen::VectorXd q;    ///< [rad] or [m]
  Eigen::VectorXd dq;   ///< [rad/s] or [m/s]
  Eigen::VectorXd ddq;  ///< [rad/s^2] or [m/s^2]
};

/// Largest absolute value of a derivative, and its time.
struct CurvePeak {
  double value = 0.0;
  double time = 0.0;  ///< [s] since the first sample
};

/// Bounds of a sum of joints, coefficients by joint; lower = upper: an equality.
struct CurveRow {
  std::vector<std::pair<int, double>> terms;
  double lower = 0.0, upper = 0.0;
};

/// One cubic per joint between neighbouring samples: the spline with continuous accelerations, slopes at both
/// ends from three samples, or zero when below `rest_speed`. Where a cubic would leave the joint's limits
/// between two samples inside them, its slopes are cut back until it is monotone there [Fritsch and Carlson
/// 1980]: the speed stays continuous, the acceleration does not. Where a sum of joints would leave its
/// bounds, the slopes of its joints are halved until it does not, at last to zero: the joints then move
/// straight from sample to sample.
class JointCurves {
 public:
  /// q: (joints x samples), at stamps `t`. Limits by joint, +-infinity: none; a sample outside extends them
  /// to its value. @throws ConfigError for sizes that do not match, stamps that do not increase, and numbers
  /// that are not finite.
  JointCurves(std::span<const Time> t, Eigen::MatrixXd q, const Eigen::VectorXd& lower,
              const Eigen::VectorXd& upper, double rest_speed, const std::vector<CurveRow>& rows = {});

  [[nodiscard]] int joints() const noexcept { return static_cast<int>(q_.rows()); }
  [[nodiscard]] int samples() const noexcept { return static_cast<int>(q_.cols()); }
  /// Returns the stamp of sample k [s] since the first one.
  [[nodiscard]] double time(int k) const noexcept { return time_[static_cast<std::size_t>(k)]; }
  [[nodiscard]] double duration() const noexcept { return time_.empty() ? 0.0 : time_.back(); }

  /// Returns the index of the interval [k, k + 1] that contains `time`, between 0 and samples() - 2; needs
  /// two samples.
  [[nodiscard]] int interval(double time) const noexcept;
  /// Evaluates interval k at share 0 .. 1. Sizes `point` on first use, then allocates nothing.
  void at_share(int k, double share, JointCurvePoint& point) const;

  /// Return the exact largest |dq| and |ddq| of a joint, also between samples. Zero for fewer than two
  /// samples.
  [[nodiscard]] CurvePeak peak_speed(int joint) const;
  [[nodiscard]] CurvePeak peak_acceleration(int joint) const;
  /// Returns the largest |dq| of a joint within shares [from, to] of interval k.
  [[nodiscard]] double peak_speed(int joint, int k, double from, double to) const noexcept;

 private:
  // dq = slope[0] + x (slope[1] + x slope[2]) over x = 0 .. 1
  struct Speed {
    double c0, c1, c2;
    [[nodiscard]] double operator()(double x) const noexcept { return c0 + x * (c1 + x * c2); }
  };
  [[nodiscard]] double length(int k) const noexcept { return time(k + 1) - time(k); }
  [[nodiscard]] Speed speed(int joint, int k) const noexcept;
  void fit(double rest_speed);
  void stay_inside(int joint, double lower, double upper);
  void stay_inside(const std::vector<CurveRow>& rows, const Eigen::VectorXd& lower,
                   const Eigen::VectorXd& upper);
  [[nodiscard]] static bool leaves(const Speed& v, double q, double h, double lower, double upper) noexcept;
  [[nodiscard]] bool leaves(const CurveRow& row, int k) const noexcept;

  std::vector<double> time_;
  Eigen::MatrixXd q_, d_;  // (joints x samples): values and slopes
};

}  // namespace panto
