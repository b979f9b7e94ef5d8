#pragma once
// Products of matrices of which one is narrow: the work of a filter that takes some hundred measurements at
// once. Every entry adds its products one after the other in the order that is said here, so that all
// machines agree. Matrices lie column by column, `stride` from one to the next. No allocation anywhere.

#include <Eigen/Core>

namespace panto {

/// Where a matrix begins, and how far its columns are apart.
struct Panel {
  const double* data = nullptr;
  Eigen::Index stride = 0;
};
struct WritablePanel {
  double* data = nullptr;
  Eigen::Index stride = 0;
};

/// Y(:, c) = sum over k of A(:, columns[k]) slopes[k * next + c]: products with a matrix of which few rows
/// are not zero. Into column `first + c` of `out`, c < count.
struct ColumnSum {
  const int* columns = nullptr;
  Eigen::Index length = 0;  ///< of `columns`
  const double* slopes = nullptr;
  Eigen::Index next = 0;
  Eigen::Index first = 0, count = 0;
  bool more = false;  ///< added to what is there
};

/// `count` such sums over the first `rows` rows of A, k in order; all sums of some rows before the next ones.
void sum_columns(const Panel& A, Eigen::Index rows, const ColumnSum* sums, std::size_t count,
                 const WritablePanel& out) noexcept;

/// Y -= W C', with Y (n x m), W (n x r), C (m x r), in the order of r. Y must not be part of W or C.
void subtract_product(const Panel& W, const Panel& C, Eigen::Index n, Eigen::Index r, Eigen::Index m,
                      const WritablePanel& Y) noexcept;

/// P -= W W' in the lower half of the first `columns` columns of P (n x n); W (n x r). Of the upper half
/// anything may be left.
void downdate_lower(const Panel& W, Eigen::Index n, Eigen::Index r, Eigen::Index columns,
                    const WritablePanel& P) noexcept;

/// Y <- Y L'^-1, with Y (n x m) and the lower half of L (m x m), whose diagonal is not zero.
void divide_by_transposed(const Panel& L, Eigen::Index n, Eigen::Index m, const WritablePanel& Y) noexcept;

/// y <- L'^-1 y, with the lower half of L (m x m). Sums are of eight lanes, then of these.
void solve_transposed(const Panel& L, Eigen::Index m, double* y) noexcept;

/// B (m x n) = A' for A (n x m).
void transpose(const Panel& A, Eigen::Index n, Eigen::Index m, const WritablePanel& B) noexcept;

/// The lower half of A (n x n) into both halves of B.
void mirror_lower(const Panel& A, Eigen::Index n, const WritablePanel& B) noexcept;

}  // namespace panto
