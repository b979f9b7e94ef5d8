#pragma once
// A matrix for wide loops: every column begins at a multiple of eight numbers.

#include <Eigen/Core>
#include <cstddef>
#include <vector>

#include "panto/math/lanes.hpp"

namespace panto {

/// (rows x columns), stored by columns. The padding between the last row and the next column is zero at
/// first; loops may compute with it. The stride is an odd number of chunks, so neighbouring columns do not
/// compete for the same cache lines.
class PaddedMatrix {
 public:
  PaddedMatrix() = default;
  PaddedMatrix(Eigen::Index rows, Eigen::Index columns)
      : rows_(rows), columns_(columns), stride_(8 * ((rows + 7) / 8 | 1)) {
    chunks_.assign(static_cast<std::size_t>(stride_ / 8 * columns), Chunk<1>{});
  }

  [[nodiscard]] Eigen::Index rows() const noexcept { return rows_; }
  [[nodiscard]] Eigen::Index columns() const noexcept { return columns_; }
  /// Returns the rows rounded up to a multiple of eight.
  [[nodiscard]] Eigen::Index padded_rows() const noexcept { return (rows_ + 7) / 8 * 8; }
  /// Distance between columns.
  [[nodiscard]] Eigen::Index stride() const noexcept { return stride_; }
  [[nodiscard]] double* data() noexcept { return chunks_.empty() ? nullptr : &chunks_.front().v[0][0]; }
  [[nodiscard]] const double* data() const noexcept {
    return chunks_.empty() ? nullptr : &chunks_.front().v[0][0];
  }
  [[nodiscard]] double* column(Eigen::Index j) noexcept { return data() + j * stride_; }
  [[nodiscard]] const double* column(Eigen::Index j) const noexcept { return data() + j * stride_; }
  [[nodiscard]] double& operator()(Eigen::Index i, Eigen::Index j) noexcept { return column(j)[i]; }
  [[nodiscard]] double operator()(Eigen::Index i, Eigen::Index j) const noexcept { return column(j)[i]; }

  /// Returns an Eigen view.
  [[nodiscard]] Eigen::Map<Eigen::MatrixXd, Eigen::Aligned64, Eigen::OuterStride<>> view() noexcept {
    return {data(), rows_, columns_, Eigen::OuterStride<>(stride_)};
  }

 private:
  Eigen::Index rows_ = 0, columns_ = 0, stride_ = 8;
  std::vector<Chunk<1>> chunks_;
};

}  // namespace panto
