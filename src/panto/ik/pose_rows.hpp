#pragma once
// Applies coupled rows and mimics to a pose, for solvers that do not handle them in every step: joints and
// rates that satisfy them, steps that keep them, and the remaining gradient
// (docs/algorithms/instantaneous.md).

#include <Eigen/Core>
#include <vector>

#include "panto/ik/row_limits.hpp"
#include "panto/tree_qp/row_projection.hpp"

namespace panto {

/// The coupled rows of one model, and those of a user, around a pose. All methods except the constructor are
/// noexcept and do not allocate.
class PoseRows {
 public:
  explicit PoseRows(const Model& model, const std::vector<CoupledRow>& own = {});

  /// Sets bounds as `RowLimits::set_bounds`.
  void set_bounds(const std::vector<CoupledRow>& own) noexcept { limits_.set_bounds(own); }

  [[nodiscard]] bool empty() const noexcept { return limits_.empty(); }
  [[nodiscard]] int size() const noexcept { return limits_.positions().size(); }

  /// Returns the coefficients of row `r` by State::s order.
  [[nodiscard]] const Eigen::VectorXd& coefficients(int r) const noexcept {
    return coefficients_[static_cast<std::size_t>(r)];
  }

  /// Computes bounds on the rows' change in a step from joints at `s`.
  void step_bounds(const Eigen::VectorXd& s, std::vector<double>& lower,
                   std::vector<double>& upper) const noexcept {
    limits_.rate_bounds(s, 1.0, lower, upper);
  }

  /// Moves `s` to the nearest joints that satisfy the rows inside lower <= s <= upper; does nothing if `s`
  /// satisfies them, or if there are none.
  void meet(const Eigen::VectorXd& lower, const Eigen::VectorXd& upper, Eigen::VectorXd& s) noexcept;

  /// Computes bounds on the rows' rates with joints at `s`: a row at a bound does not move on.
  void rate_bounds(const Eigen::VectorXd& s, std::vector<double>& lower,
                   std::vector<double>& upper) const noexcept;

  /// Moves `rates` with joints at `s` to the nearest inside `rate_bounds` and lower <= rates <= upper.
  void meet_rates(const Eigen::VectorXd& s, const Eigen::VectorXd& lower, const Eigen::VectorXd& upper,
                  Eigen::VectorXd& rates) noexcept;

  /// Projects a potential's gradient at `s`: removes from the `slope` of joints in rows what rows and box
  /// hold back together. Returns the number of rows that press; keeps the `slope` of other joints.
  int project(const Eigen::VectorXd& lower, const Eigen::VectorXd& upper, const Eigen::VectorXd& s,
              Eigen::VectorXd& slope) noexcept;

  /// Returns whether row `r` holds something back, after `project`.
  [[nodiscard]] bool presses(int r) const noexcept { return presses_[static_cast<std::size_t>(r)] != 0; }

  /// Returns whether a row contains this joint, by State::s order.
  [[nodiscard]] bool speaks_of(int dof) const noexcept {
    return spoken_of_[static_cast<std::size_t>(dof)] != 0;
  }

 private:
  RowLimits limits_;
  SparseRows cone_;  // the directions that keep rows inside
  RowProjection projection_;
  std::vector<Eigen::VectorXd> coefficients_;
  std::vector<unsigned char> spoken_of_, none_left_out_, presses_;
  Eigen::VectorXd cone_lower_, cone_upper_;
};

}  // namespace panto
