#pragma once
// Projects onto a box cut by coupled rows:
//
//   minimise |x - x0|^2   under   lower <= x <= upper,   row lower <= A x <= row upper
//
// for as few unknowns as the rows have joints. A dual active set [Goldfarb and Idnani 1983, "A numerically
// stable dual method for solving strictly convex quadratic programs", Math. Prog. 27], which ends after
// finitely many steps and detects if there is no such point.

#include <Eigen/Core>
#include <vector>

#include "panto/tree_qp/sparse_rows.hpp"

namespace panto {

/// Projection with its workspace. Sized for the terms of the rows given at construction; their bounds may
/// change from call to call.
class RowProjection {
 public:
  explicit RowProjection(const SparseRows& rows);

  /// Moves the entries of `x` that rows contain to the nearest admissible point. Ignores rows with `left_out`
  /// != 0. Returns false and leaves x unchanged if there is no such point (or the step limit was reached,
  /// which only rounding could cause). `lower`, `upper`: by entry.
  [[nodiscard]] bool project(const SparseRows& rows, const double* lower, const double* upper,
                             const std::vector<unsigned char>& left_out, double* x) noexcept;

  /// Returns -1, 0, +1: rows that held the last answer at their lower or upper bound.
  [[nodiscard]] const std::vector<signed char>& row_side() const noexcept { return row_side_; }

 private:
  // one constraint as normal'x >= bound
  struct Constraint {
    bool is_row = false;
    int index = -1;  // row or column; -1: none is violated
    int side = 0;    // -1: a lower bound, +1: an upper one
    double violation = 0.0;
  };

  void load(const SparseRows& rows, const double* lower, const double* upper, const double* x) noexcept;
  [[nodiscard]] Constraint most_violated(const SparseRows& rows, const std::vector<unsigned char>& left_out,
                                         double met) const noexcept;
  [[nodiscard]] bool enforce(const SparseRows& rows, Constraint added) noexcept;
  void set_direction(const SparseRows& rows, const Constraint& added) noexcept;
  [[nodiscard]] double row_value(int r) const noexcept;

  int columns_ = 0, steps_ = 0;
  std::vector<int> entry_;  // by column
  Eigen::MatrixXd A_;       // (rows x columns)
  Eigen::VectorXd x_, lower_, upper_, row_norm_;
  std::vector<signed char> side_, row_side_;     // the working set
  std::vector<unsigned char> fixed_;             // columns with lower = upper
  Eigen::VectorXd multiplier_, row_multiplier_;  // >= 0 except for equalities
  // of one step: holding rows, their Gram matrix on the free columns, the step in x and in the multipliers
  std::vector<int> holding_;
  Eigen::MatrixXd gram_;
  Eigen::VectorXd normal_, direction_, change_, row_change_, solution_;
};

}  // namespace panto
