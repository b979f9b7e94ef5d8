#include "panto/motion/base_lift.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "panto/base/error.hpp"
#include "panto/base/index.hpp"
#include "tests/support/test_data.hpp"

namespace panto {
namespace {

std::vector<Time> steady(int frames, double rate_hz) {
  std::vector<Time> t;
  for (int k = 0; k < frames; ++k) t.push_back(frame_time(k, rate_hz));
  return t;
}

TEST(BaseLift, WhatDoesNotSinkIsNotLifted) {
  const std::vector<Time> t = steady(100, 60.0);
  std::vector<double> depth(t.size(), -0.2);
  depth[50] = 0.005;  // tolerated
  depth[60] = std::numeric_limits<double>::quiet_NaN();
  for (const double lift : base_lift(t, depth)) EXPECT_EQ(lift, 0.0);
}

TEST(BaseLift, NothingSinksDeeperThanIsToleratedWhateverTheDepths) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> draw(-0.1, 0.2);
  for (int run = 0; run < test::scaled(20); ++run) {
    const std::vector<Time> t = steady(200, run % 2 == 0 ? 24.0 : 120.0);
    std::vector<double> depth;
    for (std::size_t k = 0; k < t.size(); ++k) depth.push_back(draw(random));
    const std::vector<double> lift = base_lift(t, depth);
    const double deepest = *std::max_element(depth.begin(), depth.end());
    for (std::size_t k = 0; k < t.size(); ++k) {
      EXPECT_LE(depth[k] - lift[k], 0.005 + 1e-12) << k;
      EXPECT_GE(lift[k], 0.0);
      EXPECT_LE(lift[k], deepest) << "no more than the deepest needs";
    }
  }
}

// One deep frame of 0.1 m: the window of 0.25 s has its largest curvature, 6 over the square of its reach of
// the integral 32/35, where it is highest; the largest of the depths is flat for 0.5 s, so the lift is a
// ramp.
TEST(BaseLift, ComesAndGoesSmoothlyAroundADepth) {
  const std::vector<Time> t = steady(400, 200.0);
  std::vector<double> depth(t.size(), 0.0);
  depth[200] = 0.105;
  const std::vector<double> lift = base_lift(t, depth);
  EXPECT_NEAR(lift[200], 0.1, 1e-12);
  EXPECT_EQ(lift[99], 0.0) << "0.505 s before";
  EXPECT_GT(lift[120], 0.0);
  double fastest = 0.0, hardest = 0.0;
  for (std::size_t k = 1; k + 1 < lift.size(); ++k) {
    fastest = std::max(fastest, std::abs(lift[k] - lift[k - 1]) * 200.0);
    hardest = std::max(hardest, std::abs(lift[k + 1] - 2.0 * lift[k] + lift[k - 1]) * 200.0 * 200.0);
    EXPECT_NEAR(lift[k], lift[400 - k], 1e-12) << "as before, so after";
  }
  // a step of 0.1 m under the window: its peak 35/32/0.25 s, and its steepest slope 1.72 * 35/32 / 0.25^2
  EXPECT_NEAR(fastest, 0.1 * 35.0 / 32.0 / 0.25, 0.01);
  EXPECT_LT(hardest, 0.1 * 1.72 * 35.0 / 32.0 / 0.0625 * 1.05);
}

TEST(BaseLift, IsNotFeltAcrossACut) {
  const std::vector<Time> t = steady(100, 60.0);
  std::vector<double> depth(t.size(), 0.0);
  depth[50] = 0.1;
  const std::vector<double> lift = base_lift(t, depth, {}, {50});
  EXPECT_EQ(lift[49], 0.0);
  EXPECT_NEAR(lift[50], 0.095, 1e-12);
}

// At a wrong rate a window of seconds holds the whole clip; looking at all of it would cost its square.
TEST(BaseLift, LooksAtNoMoreThan2000FramesToEitherSide) {
  const std::vector<Time> t = steady(20'000, 1e9);
  std::vector<double> depth(t.size(), 0.0);
  depth[0] = 0.1;
  const std::vector<double> lift = base_lift(t, depth);
  EXPECT_NEAR(lift[0], 0.095, 1e-12);
  EXPECT_GT(lift[3000], 0.0) << "a most of mosts reaches twice as far";
  for (const std::size_t k : {4001U, 9000U, 19'999U}) EXPECT_EQ(lift[k], 0.0) << k;
}

TEST(BaseLift, RefusesWhatMakesNoSense) {
  const std::vector<Time> t = steady(3, 60.0);
  EXPECT_THROW((void)base_lift(t, {0.0, 0.0}), ConfigError);
  EXPECT_THROW((void)base_lift({0, 1, 1}, {0.0, 0.0, 0.0}), ConfigError);
  EXPECT_THROW((void)base_lift(t, {0.0, 0.0, 0.0}, {.time = 0.0}), ConfigError);
  EXPECT_THROW((void)base_lift(t, {0.0, 0.0, 0.0}, {.tolerated = -1.0}), ConfigError);
  EXPECT_TRUE(base_lift({}, {}).empty());
}

}  // namespace
}  // namespace panto
