#pragma once
// What coupled rows and mimics ask of a pose, for solvers that do not know them at each turn: joints and
// rates that meet them, steps that keep them, and the gradient that they leave
// (docs/algorithms/instantaneous.md).

#include <Eigen/Core>
#include <vector>

#include "panto/ik/row_limits.hpp"
#include "panto/tree_qp/row_projection.hpp"

namespace panto {

/// The coupled rows of one model, and those of a user, around a pose. All methods but the constructor are
/// noexcept and do not allocate.
class PoseRows {
 public:
  explicit PoseRows(const Model& model, const std::vector<CoupledRow>& own = {});

  /// As `RowLimits::set_bounds`.
  void set_bounds(const std::vector<CoupledRow>& own) noexcept { limits_.set_bounds(own); }

  [[nodiscard]] bool empty() const noexcept { return limits_.empty(); }
  [[nodiscard]] int size() const noexcept { return limits_.positions().size(); }

  /// Coefficients of row `r` by State::s order.
  [[nodiscard]] const Eigen::VectorXd& coefficients(int r) const noexcept {
    return coefficients_[static_cast<std::size_t>(r)];
  }

  /// Bounds on the rows' change in a step from joints at `s`.
  void step_bounds(const Eigen::VectorXd& s, std::vector<double>& lower,
                   std::vector<double>& upper) const noexcept {
    limits_.rate_bounds(s, 1.0, lower, upper);
  }

  /// Moves `s` to the nearest joints that meet the rows inside lower <= s <= upper; nothing where it does
  /// already, or where there are none.
  void meet(const Eigen::VectorXd& lower, const Eigen::VectorXd& upper, Eigen::VectorXd& s) noexcept;

  /// Bounds on the rows' rates with joints at `s`: what stands at a bound does not move on.
  void rate_bounds(const Eigen::VectorXd& s, std::vector<double>& lower,
                   std::vector<double>& upper) const noexcept;

  /// Moves `rates` with joints at `s` to the nearest inside `rate_bounds` and lower <= rates <= upper.
  void meet_rates(const Eigen::VectorXd& s, const Eigen::VectorXd& lower, const Eigen::VectorXd& upper,
                  Eigen::VectorXd& rates) noexcept;

  /// Projects a potential's gradient at `s`: takes out of the `slope` of joints that rows speak of what rows
  /// and box hold back together. Returns how many rows press; `slope` of other joints is left alone.
  int project(const Eigen::VectorXd& lower, const Eigen::VectorXd& upper, const Eigen::VectorXd& s,
              Eigen::VectorXd& slope) noexcept;

  /// After `project`: whether row `r` holds something back.
  [[nodiscard]] bool presses(int r) const noexcept { return presses_[static_cast<std::size_t>(r)] != 0; }

  /// By State::s order: rows speak of this joint.
  [[nodiscard]] bool speaks_of(int dof) const noexcept {
    return spoken_of_[static_cast<std::size_t>(dof)] != 0;
  }

 private:
  RowLimits limits_;
  SparseRows cone_;  // the directions that leave rows inside
  RowProjection projection_;
  std::vector<Eigen::VectorXd> coefficients_;
  std::vector<unsigned char> spoken_of_, none_left_out_, presses_;
  Eigen::VectorXd cone_lower_, cone_upper_;
};

}  // namespace panto
