#pragma once
// Random profiles of a joint, with limits that they leave, to try range scaling on.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <random>
#include <vector>

#include "panto/base/index.hpp"
#include "panto/motion/range_scaling.hpp"

namespace panto::test {

/// A gesture of random kind: swings of random height and length from rest to rest, with plateaus, cut off
/// anywhere at either end, with offset or noise, or constant.
inline std::vector<double> random_profile(std::mt19937_64& engine) {
  std::uniform_real_distribution<double> uniform(0.0, 1.0);
  std::normal_distribution<double> normal(0.0, 1.0);
  const auto chance = [&](double share) { return uniform(engine) < share; };
  const auto frames = 1 + static_cast<std::size_t>(260.0 * uniform(engine) * uniform(engine));
  std::vector<double> q;
  double from = 1.5 * normal(engine);
  if (chance(0.05)) return std::vector<double>(frames, from);
  const bool wiggles = chance(0.3);
  while (q.size() < frames) {
    const double to = wiggles ? from + 0.2 * normal(engine) : 1.2 * normal(engine);
    const int length = 1 + static_cast<int>(40.0 * uniform(engine));
    for (int k = 0; k < length; ++k) {
      const double u = static_cast<double>(k) / length;
      q.push_back(from + (to - from) * u * u * u * (10.0 + u * (6.0 * u - 15.0)));
    }
    if (chance(0.2)) q.insert(q.end(), at(static_cast<int>(10.0 * uniform(engine))), to);
    from = to;
  }
  q.resize(frames);
  if (chance(0.3)) {
    const double noise = std::pow(10.0, -4.0 + 3.0 * uniform(engine));
    for (double& value : q) value += noise * normal(engine);
  }
  if (chance(0.1)) std::rotate(q.begin(), q.begin() + static_cast<std::ptrdiff_t>(frames / 2), q.end());
  return q;
}

/// A profile, the limits that it is to be brought into, and options.
struct RangeCase {
  std::vector<double> q;
  double lower = 0.0, upper = 0.0;
  RangeScalingOptions options;
};

/// The case number `trial`: both maps in turn, some with hardly any range, none at all, or no lower limit.
inline RangeCase random_range_case(int trial, std::mt19937_64& engine) {
  std::uniform_real_distribution<double> uniform(0.0, 1.0);
  RangeCase drawn;
  drawn.q = random_profile(engine);
  drawn.lower = -1.5 * uniform(engine);
  drawn.upper = 1.5 * uniform(engine);
  if (trial % 10 == 0) drawn.upper = drawn.lower + 1e-3 * uniform(engine);
  if (trial % 37 == 0) drawn.upper = drawn.lower;
  if (trial % 11 == 0) drawn.lower = -kInfinity;
  RangeScalingOptions& options = drawn.options;
  options.map = trial % 2 == 0 ? RangeMap::Linear : RangeMap::Smooth;
  if (trial % 3 == 0) options.turning_cutoff_hz = trial % 6 == 0 ? kInfinity : 2.0;
  if (trial % 5 == 0) options.prominence = 0.1 * uniform(engine) + 1e-9;
  if (trial % 7 == 0) options.end_blend = uniform(engine);
  return drawn;
}

}  // namespace panto::test
