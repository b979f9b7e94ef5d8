#include "panto/motion/base_path.hpp"

#include <algorithm>
#include <array>

#include "panto/base/error.hpp"
#include "panto/base/index.hpp"
#include "panto/motion/parts.hpp"

namespace panto {
namespace {

// keeps a part without wishes determined
constexpr double kLeast = 1e-9;

// A symmetric matrix with two diagonals on either side: row i holds the entries (i, i), (i, i + 1), (i, i +
// 2).
using Band = std::vector<std::array<double, 3>>;

// Solves A x = b for a positive definite band; both are overwritten, b by x.
void solve_band(Band& A, std::vector<double>& b) {
  const std::size_t n = A.size();
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 1; j <= 2 && i + j < n; ++j) {
      const double factor = A[i][j] / A[i][0];
      for (std::size_t k = j; k <= 2; ++k) A[i + j][k - j] -= factor * A[i][k];
      b[i + j] -= factor * b[i];
    }
  }
  for (std::size_t i = n; i-- > 0;) {
    for (std::size_t j = 1; j <= 2 && i + j < n; ++j) b[i] -= A[i][j] * b[i + j];
    b[i] /= A[i][0];
  }
}

// Smooths the frames `first` to `last`.
void smooth_part(const std::vector<Time>& t, const PathWishes& wishes, double time, std::size_t first,
                 std::size_t last, std::vector<double>& path) {
  const std::size_t n = last - first + 1;
  const auto when = [&](std::size_t i) { return to_seconds(t[first + i] - t[first]); };
  Band A(n, {0.0, 0.0, 0.0});
  std::vector<double> b(n);
  for (std::size_t i = 0; i < n; ++i) {
    const double before = i > 0 ? when(i) - when(i - 1) : 0.0,
                 after = i + 1 < n ? when(i + 1) - when(i) : 0.0;
    const double weight = wishes.weight[first + i] * 0.5 * (before + after) + kLeast;
    A[i][0] += weight;
    b[i] = weight * wishes.value[first + i];
  }
  const double stiff = time * time * time * time;
  for (std::size_t i = 1; i + 1 < n; ++i) {
    const double before = when(i) - when(i - 1), after = when(i + 1) - when(i), mean = 0.5 * (before + after);
    const std::array<double, 3> c{1.0 / (before * mean), -(1.0 / before + 1.0 / after) / mean,
                                  1.0 / (after * mean)};
    for (std::size_t j = 0; j < 3; ++j)
      for (std::size_t k = j; k < 3; ++k) A[i - 1 + j][k - j] += stiff * mean * c[j] * c[k];
  }
  solve_band(A, b);
  std::copy(b.begin(), b.end(), path.begin() + static_cast<std::ptrdiff_t>(first));
}

}  // namespace

std::vector<double> smooth_path(const std::vector<Time>& t, const PathWishes& wishes, double time,
                                const std::vector<int>& cuts) {
  if (wishes.value.size() != t.size() || wishes.weight.size() != t.size())
    throw ConfigError("smooth path: stamps, values and weights differ in length");
  if (!(time > 0.0)) throw ConfigError("smooth path: `time` must be above 0");
  for (std::size_t k = 1; k < t.size(); ++k)
    if (t[k] <= t[k - 1])
      throw ConfigError("smooth path: the stamps do not increase at frame " + std::to_string(k));
  const std::vector<int> part = detail::parts_between(t.size(), cuts);
  std::vector<double> path(t.size());
  for (std::size_t first = 0, last = 0; first < t.size(); first = last + 1) {
    last = first;
    while (last + 1 < t.size() && part[last + 1] == part[first]) ++last;
    smooth_part(t, wishes, time, first, last, path);
  }
  return path;
}

}  // namespace panto
