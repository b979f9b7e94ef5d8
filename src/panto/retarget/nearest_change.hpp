#pragma once
// The smallest change of joints that keeps linear rows.

#include <Eigen/Core>

namespace panto {

/// Minimises sum(cost x^2) under G x >= h and bounds on x, by coordinate ascent on the multipliers [Hildreth
/// 1957, "A quadratic programming procedure"]. Rows that contradict each other are met as far as possible. No
/// allocation after construction.
class NearestChange {
 public:
  static constexpr int kMost = 24;  ///< rows; of more the largest h are kept

  /// `costs` > 0.
  explicit NearestChange(const Eigen::VectorXd& costs);

  /// Removes all rows.
  void clear() noexcept { rows_ = 0; }
  /// Adds the row g x >= h.
  void add(const Eigen::VectorXd& g, double h) noexcept;
  [[nodiscard]] int rows() const noexcept { return rows_; }

  /// Sets `x`, within the bounds, which must include 0. Returns whether a row holds.
  bool solve(const Eigen::VectorXd& lower, const Eigen::VectorXd& upper, Eigen::VectorXd& x) noexcept;

 private:
  int rows_ = 0;
  Eigen::VectorXd inverse_, free_;
  Eigen::MatrixXd G_, pull_;  // a row by column, and times the inverse costs
  Eigen::VectorXd h_, curvature_, multiplier_;
};

}  // namespace panto
