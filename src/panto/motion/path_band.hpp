#pragma once
// The banded least squares of a smooth path. Used inside this module.

#include <array>
#include <cstddef>
#include <vector>

namespace panto::detail {

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
  void eliminate() noexcept;

  // symmetric, two diagonals on either side: row i holds the entries (i, i), (i, i + 1), (i, i + 2)
  std::vector<std::array<double, 3>> A_;
};

}  // namespace panto::detail
