#pragma once
// All that is measured at one instant, linearised, and what it says of a state: a Kalman update whose rows
// are taken block after block, and whose covariance is touched once. docs/algorithms/chain_ekf.md

#include <Eigen/Core>
#include <vector>

#include "panto/math/low_rank.hpp"
#include "panto/math/padded_matrix.hpp"

namespace panto {

/// Rows H x + noise. In this order: `clear`, blocks (`begin`, `add`, ...), `move`, `project`, for every block
/// `condition`, `weigh` and `factor`, then `change`; to have the covariance, `whiten` and `downdate`, between
/// them `draw`. After construction nothing allocates.
class RowStack {
 public:
  static constexpr int kBlockRows = 9;
  using Slopes = Eigen::Matrix<double, kBlockRows, 1>;

  RowStack() = default;
  /// For a state of `size`; at most `blocks` blocks with `rows` rows and `slots` columns in all.
  RowStack(Eigen::Index size, int blocks, int rows, int slots);

  /// The first `free` numbers of the state are estimated, the others only considered; at first all are.
  void set_free(Eigen::Index free) noexcept { free_ = free; }

  void clear() noexcept;
  /// A further block of 1 .. kBlockRows rows.
  void begin(int rows) noexcept;
  /// Slopes of the last block's rows by one number of the state; zero at first.
  [[nodiscard]] Slopes& add(int column) noexcept;
  /// What is added from now on concerns the last block's rows from `row` on only.
  void narrow(int row) noexcept;

  [[nodiscard]] int blocks() const noexcept { return block_count_; }
  /// First row of a block.
  [[nodiscard]] int row(int block) const noexcept { return blocks_[static_cast<std::size_t>(block)].row; }
  /// By row: innovations and variances of the noise.
  [[nodiscard]] double& nu(int row) noexcept { return innovations_[row]; }
  [[nodiscard]] double& R(int row) noexcept { return R_[row]; }  // NOLINT(readability-identifier-naming)

  /// What the innovations would be at `x` if the model were the line through `around`; to be kept for
  /// `left_out`.
  void expect(const Eigen::VectorXd& around, const Eigen::VectorXd& x) noexcept;
  /// The largest difference of the innovations from the expected ones, in standard deviations of their noise;
  /// infinite where there were other rows.
  [[nodiscard]] double left_out() const noexcept;
  /// The update begins at `x`, where nu is that at `around`: less H (x - around).
  void move(const Eigen::VectorXd& around, const Eigen::VectorXd& x) noexcept;
  /// P H' and the lower half of H P H' for all blocks. P: both halves.
  void project(const PaddedMatrix& P) noexcept;
  /// Innovation of a block, and its covariance, given the blocks before it.
  void condition(int block) noexcept;
  /// Squared innovation of `count` (1 or 3) rows of a block in standard deviations; beyond `huber` of them
  /// their noise is raised.  [Huber]
  double weigh(int row, int count, double huber) noexcept;
  /// The block counts with the noise that it has now.
  void factor(int block) noexcept;
  /// `x` += what all blocks say.
  void change(Eigen::VectorXd& x) noexcept;

  /// From here on the stack holds the columns W of P - W W'.
  void whiten() noexcept;
  /// The state `x` reached so far is drawn as one more row would, with slopes by at most three numbers of the
  /// state; of how well it is known that tells nothing. After `whiten`.
  void draw(const PaddedMatrix& P, const int* columns, const double* slopes, int count, double nu, double R,
            Eigen::VectorXd& x) noexcept;
  /// P -= W W' in the lower half; what is only considered keeps its own block. Of the upper half anything may
  /// be left.
  void downdate(PaddedMatrix& P) const noexcept;

 private:
  struct Block {
    int row = 0, rows = 0;
    int slot = 0, wide = 0;               // columns of all rows,
    int narrow = 0, first_of_narrow = 0;  // and those behind them, of rows from this one on
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
