#pragma once
// Propagates and re-bases the covariance of a chain's state: the filter's operations on P besides measuring.
// docs/algorithms/chain_ekf.md

#include <Eigen/Core>
#include <array>
#include <vector>

#include "panto/math/padded_matrix.hpp"

namespace panto {

/// Computes P <- F P F' + Q, where F and Q are 3 x 3 blocks on the diagonal, one for each of the first
/// unknowns; the rest of the state is constant.
class TripleTransition {
 public:
  TripleTransition() = default;
  /// `size` of the state; the first 3 * `triples` numbers move.
  TripleTransition(Eigen::Index size, Eigen::Index triples);

  /// Sets F of a triple.
  void set(Eigen::Index triple, const Eigen::Matrix3d& F) noexcept;
  /// Computes F P F' for P (size x size) from both halves into both halves of `result`. No allocation.
  void move(const Eigen::MatrixXd& P, PaddedMatrix& result) noexcept;

 private:
  Eigen::Index size_ = 0, triples_ = 0;
  std::vector<Eigen::Matrix3d> F_;
  PaddedMatrix bands_;  // F's five diagonals, two above and two below, by row
  PaddedMatrix moved_;  // three columns with room for two rows before and after
};

/// Nine numbers of a state that are transformed together.
using NineIndices = std::array<int, 9>;

/// Computes P <- J P J' in both halves, where J changes only the numbers at `index`: J has 3 x 3 blocks on
/// and below the diagonal.
void turn_nine(const Eigen::Matrix<double, 9, 9>& J, const NineIndices& index,
               Eigen::Ref<Eigen::MatrixXd, 0, Eigen::OuterStride<>> P) noexcept;

}  // namespace panto
