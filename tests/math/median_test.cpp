// Small formulas: medians and quantiles, degrees, the gentle rise.

#include "panto/math/median.hpp"

#include <gtest/gtest.h>

#include <numbers>
#include <vector>

#include "panto/math/degrees.hpp"
#include "panto/math/ease.hpp"

namespace panto {
namespace {

TEST(Median, IsTheMiddleOneOrTheUpperOfTwo) {
  EXPECT_EQ(median({}), 0.0);
  EXPECT_EQ(median({5.0}), 5.0);
  EXPECT_EQ(median({3.0, 1.0}), 3.0);
  EXPECT_EQ(median({9.0, 1.0, 4.0}), 4.0);
  EXPECT_EQ(median({4.0, 3.0, 2.0, 1.0}), 3.0);
}

TEST(Quantile, IsTheNumberAtItsShareOfTheOrder) {
  const std::vector<double> numbers{50.0, 10.0, 40.0, 20.0, 30.0};
  EXPECT_EQ(quantile(numbers, 0.0), 10.0);
  EXPECT_EQ(quantile(numbers, 0.25), 20.0);
  EXPECT_EQ(quantile(numbers, 0.74), 30.0) << "rounded down: 2.96 of 4";
  EXPECT_EQ(quantile(numbers, 1.0), 50.0);
}

TEST(Degrees, AreAHundredAndEightiethsOfAHalfTurn) {
  EXPECT_DOUBLE_EQ(180.0 * kDegree, std::numbers::pi);
  EXPECT_DOUBLE_EQ(std::numbers::pi * kToDegrees, 180.0);
  EXPECT_DOUBLE_EQ(in_degrees(0.5 * std::numbers::pi), 90.0);
}

TEST(Ease, RisesFromZeroToOneWithoutSlopeAtEitherEnd) {
  EXPECT_EQ(ease(0.0), 0.0);
  EXPECT_EQ(ease(0.5), 0.5);
  EXPECT_EQ(ease(1.0), 1.0);
  EXPECT_NEAR(ease(1e-4), 3e-8, 1e-11) << "3 u^2";
  EXPECT_NEAR(1.0 - ease(1.0 - 1e-4), 3e-8, 1e-11);
}

}  // namespace
}  // namespace panto
