#pragma once
// Banded least squares, and those of a smooth path. Used inside this module.

#include <array>
#include <cstddef>
#include <vector>

namespace panto::detail {

/// Solves A x = b for a symmetric positive definite band: row i holds the entries (i, i), (i, i + 1), and so
/// on. `x` is b before and the solution after; A is changed.
template <std::size_t Entries, typename Value>
void solve_band(std::vector<std::array<double, Entries>>& A, std::vector<Value>& x) noexcept {
  const std::size_t n = A.size();
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 1; j < Entries && i + j < n; ++j) {
      const double factor = A[i][j] / A[i][0];
      for (std::size_t k = j; k < Entries; ++k) A[i + j][k - j] -= factor * A[i][k];
      x[i + j] -= factor * x[i];
    }
  }
  for (std::size_t i = n; i-- > 0;) {
    for (std::size_t j = 1; j < Entries && i + j < n; ++j) x[i] -= A[i][j] * x[i + j];
    x[i] /= A[i][0];
  }
}

/// Minimises the integral of weight (x - value)^2 + time^4 x''^2 over uneven instants. A workspace: no
/// allocation once the lists are long enough.
class PathBand {
 public:
  std::vector<double> t;       ///< [s], increasing
  std::vector<double> weight;  ///< per second, >= 0
  std::vector<double> x;       ///< values, replaced by the path

  void reserve(std::size_t count);
  void clear() noexcept;
  void add(double instant, double share, double value);
  /// Replaces `x` by the path of `t.size()` points.
  void solve(double time) noexcept;

 private:
  void add_wishes() noexcept;
  void add_bends(double time) noexcept;

  std::vector<std::array<double, 3>> A_;  // two diagonals on either side
};

}  // namespace panto::detail
