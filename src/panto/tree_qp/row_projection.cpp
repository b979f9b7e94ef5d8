#include "panto/tree_qp/row_projection.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace panto {
namespace {

constexpr double kUnbounded = std::numeric_limits<double>::infinity();
// relative violation of a constraint that counts as met: the strict one first; if rounding leaves more
// between dependent constraints, that is no contradiction
constexpr std::array<double, 3> kMet{1e-13, 1e-11, 1e-9};
constexpr double kDependent = 1e-13;  // squared length of a normal, relative, after projecting out the others
constexpr double kNoChange = 1e-12;   // rate of change of a multiplier that counts as zero

}  // namespace

RowProjection::RowProjection(const SparseRows& rows) : entry_(rows.entries()), A_(rows.dense(entry_)) {
  columns_ = static_cast<int>(entry_.size());
  row_norm_ = A_.rowwise().norm();
  x_.setZero(columns_);
  lower_ = upper_ = multiplier_ = normal_ = direction_ = change_ = x_;
  row_multiplier_.setZero(rows.size());
  row_change_ = solution_ = row_multiplier_;
  gram_.setZero(rows.size(), rows.size());
  side_.assign(at(columns_), 0);
  fixed_.assign(at(columns_), 0);
  row_side_.assign(at(rows.size()), 0);
  holding_.assign(at(rows.size()), 0);
}

double RowProjection::row_value(int r) const noexcept {
  double sum = 0.0;
  for (int j = 0; j < columns_; ++j) sum += A_(r, j) * x_[j];
  return sum;
}

// Computes the nearest point of the box alone, with its multipliers.
void RowProjection::load(const SparseRows& rows, const double* lower, const double* upper,
                         const double* x) noexcept {
  for (int j = 0; j < columns_; ++j) {
    const int i = entry_[at(j)];
    lower_[j] = lower[i];
    upper_[j] = upper[i];
    x_[j] = std::min(std::max(x[i], lower[i]), upper[i]);
    fixed_[at(j)] = lower[i] == upper[i] ? 1 : 0;
    side_[at(j)] = static_cast<signed char>(x[i] > upper[i] ? 1 : x[i] < lower[i] ? -1 : 0);
    multiplier_[j] = std::abs(x[i] - x_[j]);
  }
  std::fill(row_side_.begin(), row_side_.end(), static_cast<signed char>(0));
  for (int r = 0; r < rows.size(); ++r) row_multiplier_[r] = 0.0;
  steps_ = 0;
}

// Equalities first, then the constraint with the largest violation in units of x.
RowProjection::Constraint RowProjection::most_violated(const SparseRows& rows,
                                                       const std::vector<unsigned char>& left_out,
                                                       double met) const noexcept {
  Constraint worst;
  double most = 0.0;
  for (const bool equalities : {true, false}) {
    for (int r = 0; r < rows.size(); ++r) {
      if (left_out[at(r)] != 0 || row_side_[at(r)] != 0 || rows.is_equality(r) != equalities) continue;
      const double value = row_value(r), below = rows.lower[at(r)] - value, above = value - rows.upper[at(r)];
      const double violation = std::max(below, above), size = row_norm_[r] + std::abs(value);
      if (!(violation > met * (1.0 + size))) continue;
      const double distance = row_norm_[r] > 0.0 ? violation / row_norm_[r] : kUnbounded;
      if (distance <= most) continue;
      most = distance;
      worst = {true, r, above > below ? 1 : -1, violation};
    }
    if (worst.index >= 0) return worst;
    if (!equalities) break;
    for (int j = 0; j < columns_; ++j) {
      if (side_[at(j)] != 0 || fixed_[at(j)] != 0) continue;
      const double below = lower_[j] - x_[j], above = x_[j] - upper_[j];
      const double violation = std::max(below, above);
      if (violation <= most || violation <= met * (1.0 + std::abs(x_[j]))) continue;
      most = violation;
      worst = {false, j, above > below ? 1 : -1, violation};
    }
  }
  return worst;
}

// Splits the added constraint's normal into the span of the working set's normals (change of their
// multipliers) and the rest (direction of x).
void RowProjection::set_direction(const SparseRows& rows, const Constraint& added) noexcept {
  const double inward = added.side > 0 ? -1.0 : 1.0;
  for (int j = 0; j < columns_; ++j)
    normal_[j] = added.is_row ? inward * A_(added.index, j) : j == added.index ? inward : 0.0;

  // holding rows on the free columns: G y = A n, by Cholesky's method
  int count = 0;
  for (int r = 0; r < rows.size(); ++r) {
    if (row_side_[at(r)] != 0) holding_[at(count++)] = r;
  }
  const auto free = [this](int j) { return side_[at(j)] == 0 && fixed_[at(j)] == 0; };
  for (int a = 0; a < count; ++a) {
    for (int b = 0; b <= a; ++b) {
      double sum = 0.0;
      for (int j = 0; j < columns_; ++j) {
        if (free(j)) sum += A_(holding_[at(a)], j) * A_(holding_[at(b)], j);
      }
      for (int k = 0; k < b; ++k) sum -= gram_(a, k) * gram_(b, k);
      gram_(a, b) = a > b       ? sum * gram_(b, b)
                    : sum > 0.0 ? 1.0 / std::sqrt(sum)
                                : 0.0;  // 1/L on the diagonal
    }
    double sum = 0.0;
    for (int j = 0; j < columns_; ++j) {
      if (free(j)) sum += A_(holding_[at(a)], j) * normal_[j];
    }
    for (int k = 0; k < a; ++k) sum -= gram_(a, k) * solution_[k];
    solution_[a] = sum * gram_(a, a);
  }
  for (int a = count - 1; a >= 0; --a) {
    for (int k = a + 1; k < count; ++k) solution_[a] -= gram_(k, a) * solution_[k];
    solution_[a] *= gram_(a, a);
  }

  for (int j = 0; j < columns_; ++j) {
    double rest = normal_[j];
    for (int a = 0; a < count; ++a) rest -= solution_[a] * A_(holding_[at(a)], j);
    direction_[j] = free(j) ? rest : 0.0;
    change_[j] = side_[at(j)] > 0 ? -rest : rest;
  }
  for (int a = 0; a < count; ++a) {
    const int r = holding_[at(a)];
    row_change_[r] = row_side_[at(r)] > 0 ? -solution_[a] : solution_[a];
  }
}

// Steps until the added constraint holds and drops constraints that oppose it. Returns false if none is left
// to drop and it still cannot be met.
bool RowProjection::enforce(const SparseRows& rows, Constraint added) noexcept {
  double multiplier = 0.0;
  const int cap = 50 + 20 * (columns_ + rows.size());
  while (steps_++ < cap) {
    set_direction(rows, added);

    // largest step that the multipliers allow, and which one limits it
    double step = kUnbounded;
    Constraint drop;
    for (int j = 0; j < columns_; ++j) {
      if (side_[at(j)] == 0 || fixed_[at(j)] != 0 || !(change_[j] > kNoChange)) continue;
      if (multiplier_[j] < step * change_[j]) step = multiplier_[j] / change_[j], drop = {false, j, 0, 0.0};
    }
    for (int r = 0; r < rows.size(); ++r) {
      if (row_side_[at(r)] == 0 || rows.is_equality(r) || !(row_change_[r] > kNoChange)) continue;
      if (row_multiplier_[r] < step * row_change_[r])
        step = row_multiplier_[r] / row_change_[r], drop = {true, r, 0, 0.0};
    }
    // step that the constraint itself needs
    const double gain = direction_.squaredNorm();
    const bool moves = gain > kDependent * normal_.squaredNorm();
    const bool arrives = moves && added.violation <= step * gain;
    if (arrives) step = added.violation / gain;
    if (step == kUnbounded) return false;

    for (int j = 0; j < columns_; ++j) {
      if (moves) x_[j] += step * direction_[j];
      if (side_[at(j)] != 0) multiplier_[j] = std::max(multiplier_[j] - step * change_[j], 0.0);
    }
    for (int r = 0; r < rows.size(); ++r) {
      if (row_side_[at(r)] != 0) row_multiplier_[r] -= step * row_change_[r];
    }
    multiplier += step;
    if (arrives) {
      const auto side = static_cast<signed char>(added.side);
      if (added.is_row) {
        row_side_[at(added.index)] = side;
        row_multiplier_[added.index] = multiplier;
      } else {
        side_[at(added.index)] = side;
        multiplier_[added.index] = multiplier;
        x_[added.index] = side > 0 ? upper_[added.index] : lower_[added.index];
      }
      return true;
    }
    if (moves) added.violation -= step * gain;
    (drop.is_row ? row_side_ : side_)[at(drop.index)] = 0;
  }
  return false;
}

bool RowProjection::project(const SparseRows& rows, const double* lower, const double* upper,
                            const std::vector<unsigned char>& left_out, double* x) noexcept {
  for (const double met : kMet) {
    load(rows, lower, upper, x);
    Constraint added = most_violated(rows, left_out, met);
    while (added.index >= 0 && enforce(rows, added)) added = most_violated(rows, left_out, met);
    if (added.index >= 0) continue;
    // clip values that are within rounding of their bounds
    for (int j = 0; j < columns_; ++j) x[entry_[at(j)]] = std::min(std::max(x_[j], lower_[j]), upper_[j]);
    return true;
  }
  return false;
}

}  // namespace panto
