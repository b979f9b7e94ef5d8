#pragma once
// Kalman update by all linearised measurements of one instant: rows come block after block, and the
// covariance is updated once. docs/algorithms/chain_ekf.md

#include <Eigen/Core>
#include <vector>

#include "panto/math/low_rank.hpp"
#include "panto/math/padded_matrix.hpp"

namespace panto {

/// Rows H x + noise. In this order: `clear`, blocks (`begin`, `add`, ...), `move`, `project`, for every block
/// `condition`, `weigh` and `factor`, then `change`; for the covariance `whiten` and `downdate`, between them
/// `draw`. No allocation after construction.
class RowStack {
 public:
  static constexpr int kBlockRows = 9;
  using Slopes = Eigen::Matrix<double, kBlockRows, 1>;

  RowStack() = default;
  /// For a state of `size`; at most `blocks` blocks with `rows` rows and `slots` columns in all.
  RowStack(Eigen::Index size, int blocks, int rows, int slots);

  /// Sets that the first `free` numbers of the state are estimated and the others only considered; by default
  /// all are estimated.
  void set_free(Eigen::Index free) noexcept { free_ = free; }

  void clear() noexcept;
  /// Begins a block of 1 .. kBlockRows rows.
  void begin(int rows) noexcept;
  /// Adds derivatives of the last block's rows by one number of the state; zero at first.
  [[nodiscard]] Slopes& add(int column) noexcept;
  /// Restricts further derivatives to the last block's rows from `row` on.
  void narrow(int row) noexcept;

  [[nodiscard]] int blocks() const noexcept { return block_count_; }
  /// Returns the first row of a block.
  [[nodiscard]] int row(int block) const noexcept { return blocks_[static_cast<std::size_t>(block)].row; }
  /// Innovation and noise variance of a row.
  [[nodiscard]] double& nu(int row) noexcept { return innovations_[row]; }
  [[nodiscard]] double& R(int row) noexcept { return R_[row]; }  // NOLINT(readability-identifier-naming)

  /// Returns the variance of a row's innovation without its noise, after `condition`.
  [[nodiscard]] double expected(int row) const noexcept { return S_(row, row); }

  /// Predicts the innovations at `x` with the model linearised at `around`; stored for `left_out`.
  void expect(const Eigen::VectorXd& around, const Eigen::VectorXd& x) noexcept;
  /// Returns the largest difference of the innovations from the predicted ones, in standard deviations of
  /// their noise; infinite when the rows differ.
  [[nodiscard]] double left_out() const noexcept;
  /// Begins the update at `x`; nu was computed at `around`, so subtracts H (x - around).
  void move(const Eigen::VectorXd& around, const Eigen::VectorXd& x) noexcept;
  /// Computes P H' and the lower half of H P H' for all blocks. P: both halves.
  void project(const PaddedMatrix& P) noexcept;
  /// Computes the innovation of a block and its covariance, given the blocks before it.
  void condition(int block) noexcept;
  /// Returns the squared innovation of `count` (1 or 3) rows of a block in standard deviations; raises their
  /// noise above `huber` of them. [Huber]
  double weigh(int row, int count, double huber) noexcept;
  /// Factors the block with its present noise.
  void factor(int block) noexcept;
  /// Adds the update of all blocks to `x`.
  void change(Eigen::VectorXd& x) noexcept;

  /// Converts the stack to the columns W of P - W W'.
  void whiten() noexcept;
  /// Draws the state `x` as one more row would, with derivatives by at most three numbers of the state,
  /// without changing its covariance: the first `moved` numbers of `x`. After `whiten`.
  void draw(const PaddedMatrix& P, const int* columns, const double* slopes, int count, double nu, double R,
            Eigen::Index moved, Eigen::VectorXd& x) noexcept;
  /// Computes P -= W W' in the lower half; considered numbers keep their own block. The upper half is
  /// undefined afterwards.
  void downdate(PaddedMatrix& P) const noexcept;

 private:
  struct Block {
    int row = 0, rows = 0;
    int slot = 0, wide = 0;               // columns of all rows,
    int narrow = 0, first_of_narrow = 0;  // and the following ones, of rows from this one on
    int end() const noexcept { return row + rows; }
  };

  void subtract_slopes(const Eigen::VectorXd& around, const Eigen::VectorXd& x,
                       Eigen::VectorXd& nu) const noexcept;
  void add_sums(const Block& block, int first) noexcept;

  Eigen::Index size_ = 0, free_ = 0;
  std::vector<Block> blocks_;
  int block_count_ = 0, rows_ = 0, slots_ = 0;
  bool narrow_ = false;
  std::vector<int> columns_;  // by slot
  std::vector<Slopes> slopes_;
  std::vector<ColumnSum> sums_;
  std::size_t sum_count_ = 0;
  int expected_rows_ = 0;
  Eigen::VectorXd innovations_, nu_, R_, expected_, whitened_;  // nu_: given all rows before
  PaddedMatrix PHt_, HP_;                                       // (size x rows), later W; and the transpose
  PaddedMatrix S_;  // H P H' + R, later its Cholesky factor, in the lower half
};

}  // namespace panto
