// Profiles of a joint, scaled into limits: inside them, and never faster than before.

#include "panto/motion/range_scaling.hpp"

#include <algorithm>
#include <cmath>

#include "tests/fuzz/draws.hpp"
#include "tests/support/random_profile.hpp"

namespace panto::fuzz {
namespace {

void check_profile(Bytes bytes) {
  Draws draws(bytes);
  std::mt19937_64 random(draws.word(2));
  RangeScalingOptions options;
  options.map = draws.flag() ? RangeMap::Linear : RangeMap::Smooth;
  options.turning_cutoff_hz = draws.flag() ? 8.0 : std::abs(draws.number(10.0));
  options.end_blend = std::abs(draws.number(0.2));
  const double a = draws.number(2.0), b = draws.number(2.0);
  const double lower = std::min(a, b), upper = std::max(a, b);
  std::vector<double> q = test::random_profile(random);
  q.resize(std::min<std::size_t>(q.size(), 200));
  for (double& value : q) value = draws.empty() || draws.below(8) != 0 ? value : draws.number(3.0);
  std::vector<Time> t;
  for (std::size_t k = 0; k < q.size(); ++k) t.push_back(static_cast<Time>(k) * 12'500'000);
  const ScaledRange scaled = scale_range(t, q, lower, upper, options);
  promise(scaled.q.size() == q.size() && scaled.factor.size() == q.size(), "a value a sample");
  for (std::size_t k = 0; k < q.size(); ++k) {
    const double inside = 1e-12 * (1.0 + std::abs(lower) + std::abs(upper));
    promise(scaled.q[k] >= lower - inside && scaled.q[k] <= upper + inside, "values are inside the limits");
    promise(scaled.factor[k] >= 0.0 && scaled.factor[k] <= 1.0, "factors are 0 to 1");
    if (k == 0) continue;
    const double step = std::abs(q[k] - q[k - 1]),
                 rounding = 1e-14 * (1.0 + std::abs(q[k]) + std::abs(q[k - 1]));
    promise(std::abs(scaled.q[k] - scaled.q[k - 1]) <= step + 10.0 * rounding + inside, "no step grows");
  }
}

Seeds seeds_of_profiles() {
  Seeds seeds;
  for (int i = 1; i < 6; ++i) {
    // map, cut-off, blend, two limits
    std::string seed{static_cast<char>(i),
                     '\0',
                     static_cast<char>(i),
                     '\1',
                     '\x10',
                     '\x20',
                     '\xa0',
                     '\x10',
                     '\x10',
                     '\x60',
                     '\x10',
                     '\x20',
                     '\xb0'};
    for (int k = 0; k < 60; ++k) seed += static_cast<char>(k % 5 == 0 ? 8 : 1);
    seeds.push_back(seed);
  }
  return seeds;
}

const Registered profiles_target("range_scaling", check_profile, seeds_of_profiles);

}  // namespace
}  // namespace panto::fuzz
