#include "panto/motion/base_lift.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "panto/base/error.hpp"
#include "panto/base/index.hpp"
#include "panto/math/elementary.hpp"
#include "panto/motion/parts.hpp"

namespace panto {
namespace {

void check(const std::vector<Time>& t, const std::vector<double>& depth, const BaseLiftOptions& options) {
  if (depth.size() != t.size())
    throw ConfigError("base lift: the lists of depths and stamps differ in length");
  if (!(options.tolerated >= 0.0) || !(options.time > 0.0) || !std::isfinite(options.time))
    throw ConfigError("base lift: tolerated must be >= 0 and time > 0");
  for (std::size_t k = 1; k < t.size(); ++k) {
    if (t[k] <= t[k - 1])
      throw ConfigError("base lift: the stamps do not increase at frame " + std::to_string(k));
  }
}

// Calls `take` with every frame of the same part within `reach` of frame k, and its distance divided by the
// reach.
template <typename Take>
void for_each_near(const std::vector<Time>& t, const std::vector<int>& part, int k, double reach,
                   Take&& take) {
  const auto near = [&](int j) { return std::abs(to_seconds(t[at(j)] - t[at(k)])) / reach; };
  const int first = std::max(k - detail::kMostNear, 0),
            last = std::min(k + detail::kMostNear, static_cast<int>(t.size()) - 1);
  for (int j = k; j >= first && part[at(j)] == part[at(k)] && near(j) <= 1.0; --j) take(j, near(j));
  for (int j = k + 1; j <= last && part[at(j)] == part[at(k)] && near(j) <= 1.0; ++j) take(j, near(j));
}

}  // namespace

std::vector<double> base_lift(const std::vector<Time>& t, const std::vector<double>& depth,
                              const BaseLiftOptions& options, const std::vector<int>& cuts) {
  check(t, depth, options);
  const std::vector<int> part = detail::parts_between(t.size(), cuts);
  const int count = static_cast<int>(t.size());
  std::vector<double> most(t.size(), 0.0), lift(t.size(), 0.0);
  for (int k = 0; k < count; ++k) {
    for_each_near(t, part, k, options.time, [&](int j, double) {
      if (std::isfinite(depth[at(j)])) most[at(k)] = std::max(most[at(k)], depth[at(j)] - options.tolerated);
    });
  }
  // every value in the window is at least the depth in its middle, so their mean is too
  for (int k = 0; k < count; ++k) {
    double sum = 0.0, weights = 0.0;
    for_each_near(t, part, k, options.time, [&](int j, double u) {
      const double weight = power(1.0 - u * u, 3);
      sum += weight * most[at(j)];
      weights += weight;
    });
    lift[at(k)] = sum / weights;
  }
  return lift;
}

}  // namespace panto
