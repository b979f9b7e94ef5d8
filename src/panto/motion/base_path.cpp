#include "panto/motion/base_path.hpp"

#include <algorithm>
#include <cmath>

#include "panto/base/error.hpp"
#include "panto/base/index.hpp"
#include "panto/motion/parts.hpp"
#include "panto/motion/path_band.hpp"

namespace panto {
namespace {

// keeps a part without wishes determined
constexpr double kLeast = 1e-9;

// Smooths the frames `first` to `last`.
void smooth_part(const std::vector<Time>& t, const PathWishes& wishes, double time, std::size_t first,
                 std::size_t last, std::vector<double>& path) {
  detail::PathBand band;
  band.reserve(last - first + 1);
  for (std::size_t k = first; k <= last; ++k)
    band.add(to_seconds(t[k] - t[first]), wishes.weight[k], wishes.value[k]);
  band.solve(time);
  std::copy(band.x.begin(), band.x.end(), path.begin() + static_cast<std::ptrdiff_t>(first));
}

}  // namespace

namespace detail {

void PathBand::reserve(std::size_t count) {
  t.reserve(count);
  weight.reserve(count);
  x.reserve(count);
  A_.reserve(count);
}

void PathBand::clear() noexcept {
  t.clear();
  weight.clear();
  x.clear();
}

void PathBand::add(double instant, double share, double value) {
  t.push_back(instant);
  weight.push_back(share);
  x.push_back(value);
}

void PathBand::solve(double time) noexcept {
  A_.assign(t.size(), {0.0, 0.0, 0.0});
  add_wishes();
  add_bends(time);
  solve_band(A_, x);
}

void PathBand::add_wishes() noexcept {
  const std::size_t n = t.size();
  for (std::size_t i = 0; i < n; ++i) {
    const double before = i > 0 ? t[i] - t[i - 1] : 0.0, after = i + 1 < n ? t[i + 1] - t[i] : 0.0;
    const double share = weight[i] * 0.5 * (before + after) + kLeast;
    A_[i][0] += share;
    x[i] *= share;
  }
}

void PathBand::add_bends(double time) noexcept {
  const double stiff = time * time * time * time;
  for (std::size_t i = 1; i + 1 < t.size(); ++i) {
    const double before = t[i] - t[i - 1], after = t[i + 1] - t[i], mean = 0.5 * (before + after);
    const std::array<double, 3> c{1.0 / (before * mean), -(1.0 / before + 1.0 / after) / mean,
                                  1.0 / (after * mean)};
    for (std::size_t j = 0; j < 3; ++j)
      for (std::size_t k = j; k < 3; ++k) A_[i - 1 + j][k - j] += stiff * mean * c[j] * c[k];
  }
}

}  // namespace detail

std::vector<double> smooth_path(const std::vector<Time>& t, const PathWishes& wishes, double time,
                                const std::vector<int>& cuts) {
  if (wishes.value.size() != t.size() || wishes.weight.size() != t.size())
    throw ConfigError("smooth path: stamps, values and weights differ in length");
  if (!(time > 0.0 && std::isfinite(time)))
    throw ConfigError("smooth path: `time` must be above 0 and finite");
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
