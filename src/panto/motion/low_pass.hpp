#pragma once
// Steps towards the mean of the neighbours; equal steps form a zero-phase low-pass. Used inside this module.

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <vector>

#include "panto/math/so3.hpp"

namespace panto::detail {

inline constexpr double kMeanStep = 0.25;  ///< largest weight of a neighbour in one step
inline constexpr double kEndless = 1e9;    ///< steps that nobody takes

/// Takes one step: every frame but the ends moves towards the mean of its neighbours, by twice its weight of
/// 0 .. 1/4. With the same weight everywhere, n steps are a Gaussian of variance 2 n weight frames^2.
inline void mean_step(std::vector<double>& x, const std::vector<double>& weight) {
  double before = x[0];
  for (std::size_t k = 1; k + 1 < x.size(); ++k) {
    const double now = x[k];
    x[k] = now + weight[k] * (before - 2.0 * now + x[k + 1]);
    before = now;
  }
}

/// The same for rotations.
inline void mean_step(std::vector<Eigen::Matrix3d>& R, const std::vector<double>& weight) {
  Eigen::Matrix3d before = R[0];
  for (std::size_t k = 1; k + 1 < R.size(); ++k) {
    const Eigen::Matrix3d now = R[k];
    const Eigen::Vector3d towards = so3::log(now.transpose() * before) + so3::log(now.transpose() * R[k + 1]);
    R[k] = so3::project(now * so3::exp(weight[k] * towards));
    before = now;
  }
}

/// Equal steps that form a low-pass with half power at `cutoff_hz`; dt [s] between frames.
struct LowPass {
  int steps = 0;
  double weight = 0.0;
  LowPass(double cutoff_hz, double dt) {
    // |H|^2 = exp(-(2 pi f sigma)^2) = 1/2
    const double sigma = std::sqrt(std::numbers::ln2) / (2.0 * std::numbers::pi * cutoff_hz * dt);
    steps = static_cast<int>(std::min(std::ceil(0.5 * sigma * sigma / kMeanStep), kEndless));
    if (steps > 0) weight = 0.5 * sigma * sigma / steps;
  }
  template <typename Value>
  void apply(std::vector<Value>& values) const {
    const std::vector<double> weights(values.size(), weight);
    for (int i = 0; i < steps && values.size() > 2; ++i) mean_step(values, weights);
  }
  /// Returns the standard deviation of the Gaussian [frames].
  [[nodiscard]] double width() const { return std::sqrt(2.0 * steps * weight); }
};

}  // namespace panto::detail
