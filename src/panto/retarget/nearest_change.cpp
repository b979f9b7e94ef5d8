#include "panto/retarget/nearest_change.hpp"

#include <algorithm>
#include <cmath>

namespace panto {
namespace {

constexpr int kSweeps = 40;
constexpr double kMet = 1e-5;      // [m] a row this near to its bound is met
constexpr double kSoft = 1e-4;     // [m^2] keeps multipliers of contradicting rows finite
constexpr double kLittle = 1e-12;  // a row below it depends on no joint

}  // namespace

NearestChange::NearestChange(const Eigen::VectorXd& costs)
    : inverse_(costs.cwiseInverse()),
      free_(costs.size()),
      G_(costs.size(), kMost),
      pull_(costs.size(), kMost),
      h_(kMost),
      curvature_(kMost),
      multiplier_(kMost) {}

void NearestChange::add(const Eigen::VectorXd& g, double h) noexcept {
  int row = rows_;
  if (row == kMost && h <= h_.minCoeff(&row)) return;
  const double curvature = g.cwiseProduct(inverse_).dot(g);
  if (!(curvature > kLittle) || !std::isfinite(h)) return;
  pull_.col(row) = inverse_.cwiseProduct(g);
  G_.col(row) = g;
  h_[row] = h;
  curvature_[row] = curvature + kSoft;
  rows_ = std::max(rows_, row + 1);
}

bool NearestChange::solve(const Eigen::VectorXd& lower, const Eigen::VectorXd& upper,
                          Eigen::VectorXd& x) noexcept {
  multiplier_.setZero();
  free_.setZero();
  x.setZero();
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    double largest = 0.0;
    for (int i = 0; i < rows_; ++i) {
      const double missing = h_[i] - G_.col(i).dot(x) - kSoft * multiplier_[i];
      const double change = std::max(missing / curvature_[i], -multiplier_[i]);
      if (change == 0.0) continue;
      multiplier_[i] += change;
      free_ += change * pull_.col(i);
      x = free_.cwiseMax(lower).cwiseMin(upper);
      largest = std::max(largest, std::abs(change) * curvature_[i]);
    }
    if (largest < kMet) break;
  }
  return multiplier_.head(rows_).any();
}

}  // namespace panto
