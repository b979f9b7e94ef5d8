#pragma once
// Matrix products with one narrow factor, for filters with some hundred measurements at once. Every entry
// sums its products in the order stated here, so all machines agree. Matrices are stored by columns, `stride`
// apart. No allocation.

#include <Eigen/Core>

namespace panto {

/// Start of a matrix and the stride of its columns.
struct Panel {
  const double* data = nullptr;
  Eigen::Index stride = 0;
};
struct WritablePanel {
  double* data = nullptr;
  Eigen::Index stride = 0;
};

/// Y(:, c) = sum over k of A(:, columns[k]) slopes[k * next + c]: products with a matrix that has few
/// non-zero rows. Written to column `first + c` of `out`, c < count.
struct ColumnSum {
  const int* columns = nullptr;
  Eigen::Index length = 0;  ///< of `columns`
  const double* slopes = nullptr;
  Eigen::Index next = 0;
  Eigen::Index first = 0, count = 0;
  bool more = false;  ///< adds to the present values
};

/// Computes `count` such sums over the first `rows` rows of A, k in order; finishes all sums of a block of
/// rows before the next.
void sum_columns(const Panel& A, Eigen::Index rows, const ColumnSum* sums, std::size_t count,
                 const WritablePanel& out) noexcept;

/// Computes Y -= W C', with Y (n x m), W (n x r), C (m x r), in the order of r. Y must not be part of W or C.
void subtract_product(const Panel& W, const Panel& C, Eigen::Index n, Eigen::Index r, Eigen::Index m,
                      const WritablePanel& Y) noexcept;

/// Computes P -= W W' in the lower half of the first `columns` columns of P (n x n); W (n x r). The upper
/// half is undefined afterwards.
void downdate_lower(const Panel& W, Eigen::Index n, Eigen::Index r, Eigen::Index columns,
                    const WritablePanel& P) noexcept;

/// Computes Y <- Y L'^-1, with Y (n x m) and the lower half of L (m x m), whose diagonal is not zero.
void divide_by_transposed(const Panel& L, Eigen::Index n, Eigen::Index m, const WritablePanel& Y) noexcept;

/// Computes y <- L'^-1 y, with the lower half of L (m x m). Sums run in eight lanes, then over the lanes.
void solve_transposed(const Panel& L, Eigen::Index m, double* y) noexcept;

/// Writes the transpose B (m x n) = A' of A (n x m).
void transpose(const Panel& A, Eigen::Index n, Eigen::Index m, const WritablePanel& B) noexcept;

/// Copies the lower half of A (n x n) into both halves of B.
void mirror_lower(const Panel& A, Eigen::Index n, const WritablePanel& B) noexcept;

}  // namespace panto
