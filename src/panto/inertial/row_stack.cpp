#include "panto/inertial/row_stack.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <limits>

#include "panto/base/index.hpp"

namespace panto {

using Eigen::Index;
using Eigen::Matrix3d;
using Eigen::Vector3d;

namespace {

// a matrix from an entry on, for reading or writing
Panel from(const PaddedMatrix& A, Index i = 0, Index j = 0) noexcept { return {A.column(j) + i, A.stride()}; }
WritablePanel into(PaddedMatrix& A, Index i = 0, Index j = 0) noexcept {
  return {A.column(j) + i, A.stride()};
}

}  // namespace

RowStack::RowStack(Index size, int blocks, int rows, int slots)
    : size_(size), free_(size), PHt_(size, rows + 1), HP_(rows, size), S_(rows, rows) {
  blocks_.resize(at(blocks));
  columns_.resize(at(slots));
  slopes_.resize(at(slots));
  sums_.resize(2 * at(blocks));
  innovations_ = nu_ = R_ = expected_ = Eigen::VectorXd::Zero(rows);
  whitened_ = Eigen::VectorXd::Zero(rows + 1);
}

void RowStack::clear() noexcept { block_count_ = rows_ = slots_ = 0; }

void RowStack::begin(int rows) noexcept {
  blocks_[at(block_count_++)] = {rows_, rows, slots_, 0, 0, 0};
  rows_ += rows;
  narrow_ = false;
}

RowStack::Slopes& RowStack::add(int column) noexcept {
  Block& block = blocks_[at(block_count_ - 1)];
  ++(narrow_ ? block.narrow : block.wide);
  columns_[at(slots_)] = column;
  Slopes& slopes = slopes_[at(slots_++)];
  slopes.setZero();
  return slopes;
}

void RowStack::narrow(int row) noexcept {
  blocks_[at(block_count_ - 1)].first_of_narrow = row;
  narrow_ = true;
}

void RowStack::expect(const Eigen::VectorXd& around, const Eigen::VectorXd& x) noexcept {
  expected_.head(rows_) = innovations_.head(rows_);
  subtract_slopes(around, x, expected_);
  expected_rows_ = rows_;
}

double RowStack::left_out() const noexcept {
  if (expected_rows_ != rows_) return std::numeric_limits<double>::infinity();
  double most = 0.0;
  for (int r = 0; r < rows_; ++r)
    most = std::max(most, std::abs(innovations_[r] - expected_[r]) / std::sqrt(R_[r]));
  return most;
}

void RowStack::move(const Eigen::VectorXd& around, const Eigen::VectorXd& x) noexcept {
  nu_.head(rows_) = innovations_.head(rows_);
  subtract_slopes(around, x, nu_);
}

// nu -= H (x - around)
void RowStack::subtract_slopes(const Eigen::VectorXd& around, const Eigen::VectorXd& x,
                               Eigen::VectorXd& nu) const noexcept {
  if (x == around) return;
  for (int b = 0; b < block_count_; ++b) {
    const Block& block = blocks_[at(b)];
    for (int s = block.slot; s < block.slot + block.wide + block.narrow; ++s) {
      const double off = x[columns_[at(s)]] - around[columns_[at(s)]];
      if (off == 0.0) continue;
      const Slopes& slopes = slopes_[at(s)];
      for (int r = 0; r < block.rows; ++r) nu[block.row + r] -= slopes[r] * off;
    }
  }
}

// computes P H' or H P H' of a block into the columns from `first` on
void RowStack::add_sums(const Block& block, int first) noexcept {
  const int* columns = columns_.data() + block.slot;
  const double* slopes = slopes_.data()[block.slot].data();
  sums_[sum_count_++] = {columns, block.wide, slopes, kBlockRows, first, block.rows, false};
  if (block.narrow == 0) return;
  const int skipped = block.first_of_narrow;
  sums_[sum_count_++] = {columns + block.wide,
                         block.narrow,
                         slopes + Index{kBlockRows} * block.wide + skipped,
                         kBlockRows,
                         first + skipped,
                         block.rows - skipped,
                         true};
}

void RowStack::project(const PaddedMatrix& P) noexcept {
  sum_count_ = 0;
  for (int b = 0; b < block_count_; ++b) add_sums(blocks_[at(b)], blocks_[at(b)].row);
  sum_columns(from(P), P.padded_rows(), sums_.data(), sum_count_, into(PHt_));
  transpose(from(PHt_), size_, rows_, into(HP_));
  for (int b = 0; b < block_count_; ++b) {
    const Block& block = blocks_[at(b)];
    sum_count_ = 0;
    add_sums(block, block.row);
    sum_columns(from(HP_, block.row), rows_ - block.row, sums_.data(), sum_count_, into(S_, block.row));
  }
}

// a block column of the Cholesky factorisation, left-looking
void RowStack::condition(int b) noexcept {
  const Block& block = blocks_[at(b)];
  subtract_product(from(S_, block.row), from(S_, block.row), rows_ - block.row, block.row, block.rows,
                   into(S_, block.row, block.row));
  for (int k = 0; k < block.row; ++k)
    for (int r = block.row; r < block.end(); ++r) nu_[r] -= S_(r, k) * whitened_[k];
}

double RowStack::weigh(int row, int count, double huber) noexcept {
  double d2 = 0.0;
  if (count == 1) {
    d2 = nu_[row] * nu_[row] / (S_(row, row) + R_[row]);
  } else {
    Matrix3d S;
    for (int a = 0; a < 3; ++a) {
      for (int b = 0; b <= a; ++b) S(a, b) = S(b, a) = S_(row + a, row + b);
      S(a, a) = std::max(S(a, a), 0.0) + R_[row + a];
    }
    const Vector3d nu = nu_.segment<3>(row);
    d2 = nu.dot(S.llt().solve(nu));
  }
  R_.segment(row, count) *= std::max(1.0, std::sqrt(d2) / huber);
  return d2;
}

void RowStack::factor(int b) noexcept {
  const Block& block = blocks_[at(b)];
  for (int c = block.row; c < block.end(); ++c) {
    double pivot = S_(c, c) + R_[c];
    whitened_[c] = nu_[c];
    for (int k = block.row; k < c; ++k) {
      pivot -= S_(c, k) * S_(c, k);
      whitened_[c] -= S_(c, k) * whitened_[k];
    }
    // never less than the noise, but for rounding
    const double root = S_(c, c) = std::sqrt(std::max(pivot, R_[c]));
    whitened_[c] /= root;
    for (int r = c + 1; r < block.end(); ++r) {
      double entry = S_(r, c);
      for (int k = block.row; k < c; ++k) entry -= S_(r, k) * S_(c, k);
      S_(r, c) = entry / root;
    }
  }
  divide_by_transposed(from(S_, block.row, block.row), rows_ - block.end(), block.rows,
                       into(S_, block.end(), block.row));
}

// P H' S^-1 nu
void RowStack::change(Eigen::VectorXd& x) noexcept {
  Eigen::VectorXd& gain = nu_;
  gain.head(rows_) = whitened_.head(rows_);
  solve_transposed(from(S_), rows_, gain.data());
  for (int r = 0; r < rows_; ++r) gain[r] = -gain[r];
  subtract_product(from(PHt_), {gain.data(), 1}, free_, rows_, 1, {x.data(), size_});
}

void RowStack::whiten() noexcept { divide_by_transposed(from(S_), PHt_.padded_rows(), rows_, into(PHt_)); }

void RowStack::draw(const PaddedMatrix& P, const int* columns, const double* slopes, int count, double nu,
                    double R, Index moved, Eigen::VectorXd& x) noexcept {
  const ColumnSum sum{columns, count, slopes, 1, rows_, 1, false};
  sum_columns(from(P), P.padded_rows(), &sum, 1, into(PHt_));
  for (int k = 0; k < rows_; ++k) {
    whitened_[k] = 0.0;
    for (int c = 0; c < count; ++c) whitened_[k] += slopes[c] * PHt_(columns[c], k);
  }
  double* gain = PHt_.column(rows_);
  subtract_product(from(PHt_), {whitened_.data(), 1}, PHt_.padded_rows(), rows_, 1, {gain, PHt_.stride()});
  double S = R;
  for (int c = 0; c < count; ++c) S += slopes[c] * gain[columns[c]];
  for (Index i = 0; i < moved; ++i) x[i] += nu / S * gain[i];
}

void RowStack::downdate(PaddedMatrix& P) const noexcept {
  downdate_lower(from(PHt_), P.padded_rows(), rows_, free_, into(P));
}

}  // namespace panto
