#pragma once
// Two-sided linear rows over an array: lower <= sum coefficient x[entry] <= upper. Used for coupled joints:
// positions and, over one step, rates.

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "panto/base/index.hpp"

namespace panto {

/// m rows in contiguous memory: row r has the terms begin[r] .. begin[r + 1] - 1.
struct SparseRows {
  std::vector<int> begin{0};
  std::vector<int> entry;  ///< index into the array
  std::vector<double> coefficient;
  std::vector<double> lower, upper;  ///< by row; equal for an equality, +-infinity without a bound

  [[nodiscard]] int size() const noexcept { return static_cast<int>(lower.size()); }
  [[nodiscard]] bool empty() const noexcept { return lower.empty(); }

  /// Appends a row. Terms: (entry, coefficient); terms of the same entry are summed, zeros dropped.
  void add(const std::vector<std::pair<int, double>>& terms, double row_lower, double row_upper) {
    const std::size_t first = entry.size();
    for (const auto& [i, a] : terms) {
      std::size_t k = first;
      while (k < entry.size() && entry[k] != i) ++k;
      if (k == entry.size()) {
        entry.push_back(i);
        coefficient.push_back(0.0);
      }
      coefficient[k] += a;
    }
    for (std::size_t k = entry.size(); k-- > first;) {
      if (coefficient[k] != 0.0) continue;
      entry.erase(entry.begin() + static_cast<std::ptrdiff_t>(k));
      coefficient.erase(coefficient.begin() + static_cast<std::ptrdiff_t>(k));
    }
    begin.push_back(static_cast<int>(entry.size()));
    lower.push_back(row_lower);
    upper.push_back(row_upper);
  }

  /// Returns the row's value at `x`.
  [[nodiscard]] double value(int r, const double* x) const noexcept {
    double sum = 0.0;
    for (int k = begin[at(r)]; k < begin[at(r + 1)]; ++k) sum += coefficient[at(k)] * x[entry[at(k)]];
    return sum;
  }

  /// Returns the scale for the rounding error of a row: its bound and its terms at `x`.
  [[nodiscard]] double magnitude(int r, const double* x) const noexcept {
    double sum = 1.0;
    for (int k = begin[at(r)]; k < begin[at(r + 1)]; ++k)
      sum += std::abs(coefficient[at(k)] * x[entry[at(k)]]);
    return sum;
  }

  /// Returns the entries that rows contain, each once.
  [[nodiscard]] std::vector<int> entries() const {
    std::vector<int> once;
    for (const int i : entry) {
      if (std::find(once.begin(), once.end(), i) == once.end()) once.push_back(i);
    }
    return once;
  }

  /// Returns the rows as a dense matrix over `columns`, which must be their `entries()`.
  [[nodiscard]] Eigen::MatrixXd dense(const std::vector<int>& columns) const {
    Eigen::MatrixXd A = Eigen::MatrixXd::Zero(size(), static_cast<Eigen::Index>(columns.size()));
    for (int r = 0; r < size(); ++r) {
      for (int k = begin[at(r)]; k < begin[at(r + 1)]; ++k) {
        const auto column = std::find(columns.begin(), columns.end(), entry[at(k)]) - columns.begin();
        A(r, column) = coefficient[at(k)];
      }
    }
    return A;
  }

  [[nodiscard]] bool is_equality(int r) const noexcept { return lower[at(r)] == upper[at(r)]; }
};

}  // namespace panto
