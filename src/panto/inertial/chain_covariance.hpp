#pragma once
// The covariance of a chain's state moved on and turned: what the filter does to all of P beside measuring.
// docs/algorithms/chain_ekf.md

#include <Eigen/Core>
#include <array>
#include <vector>

#include "panto/math/padded_matrix.hpp"

namespace panto {

/// P <- F P F' + Q where F and Q are blocks of three on the diagonal, one for each of the first unknowns, and
/// what comes behind them stays.
class TripleTransition {
 public:
  TripleTransition() = default;
  /// `size` of the state, of which 3 * `triples` move.
  TripleTransition(Eigen::Index size, Eigen::Index triples);

  /// F of a triple.
  void set(Eigen::Index triple, const Eigen::Matrix3d& F) noexcept;
  /// F P F' for P (size x size), both halves, into both halves of `result`. No allocation.
  void move(const Eigen::MatrixXd& P, PaddedMatrix& result) noexcept;

 private:
  Eigen::Index size_ = 0, triples_ = 0;
  std::vector<Eigen::Matrix3d> F_;
  PaddedMatrix bands_;  // F's five diagonals, two above and two below, by row
  PaddedMatrix moved_;  // three columns with room for two rows before and behind
};

/// Nine numbers of a state that are turned together.
using NineIndices = std::array<int, 9>;

/// P <- J P J' where J turns the numbers at `index` and leaves all others: J has 3 x 3 blocks on and below
/// the diagonal. Both halves.
void turn_nine(const Eigen::Matrix<double, 9, 9>& J, const NineIndices& index, Eigen::MatrixXd& P) noexcept;

}  // namespace panto
