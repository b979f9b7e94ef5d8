// Angles with their turns against the arc tangents and sines of the standard library.

#include "panto/math/angle.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "panto/math/four_wide.hpp"
#include "panto/math/so3.hpp"
#include "tests/support/random_model.hpp"
#include "tests/support/test_data.hpp"

namespace panto {
namespace {

using test::Random;
using test::uniform;

constexpr double kPi = std::numbers::pi;

TEST(Angle, OfATurnIsTheArcTangentOnTheWholeCircle) {
  Random random(1);
  for (int i = 0; i < test::scaled(100000); ++i) {
    // as many beside the short ways' limit, atan(7/16), as everywhere
    const double x = i % 2 == 0 ? uniform(random, -kPi, kPi) : uniform(random, 0.40, 0.43);
    const SinCos turn{std::sin(x), std::cos(x)};
    // 6e-16 of atan2, and that of the sine and cosine that it is given
    EXPECT_NEAR(value_of(turn), std::atan2(turn.sin, turn.cos), 1e-15) << x;
  }
  EXPECT_EQ(value_of({0.0, 1.0}), 0.0);
  EXPECT_EQ(value_of({0.0, -1.0}), kPi);
  EXPECT_EQ(value_of({-0.0, -1.0}), -kPi);
  EXPECT_EQ(value_of({1.0, 0.0}), kPi / 2.0);
  EXPECT_TRUE(std::isnan(value_of({std::numeric_limits<double>::quiet_NaN(), 1.0})));
}

TEST(Angle, NearestToAnotherOneKnowsWholeTurns) {
  Random random(2);
  for (int i = 0; i < test::scaled(20000); ++i) {
    const double near = uniform(random, -20.0, 20.0), way = uniform(random, -3.1, 3.1);
    const Angle found = nearest(angle(near), sincos(near + way));
    EXPECT_NEAR(found.value, near + way, 1e-14) << "an ulp of 20 is 3.6e-15";
    EXPECT_NEAR(std::hypot(found.turn.sin - std::sin(near + way), found.turn.cos - std::cos(near + way)), 0.0,
                1e-15);
  }
}

TEST(Angle, TurnsAddAndSubtractAsAnglesDo) {
  Random random(3);
  for (int i = 0; i < test::scaled(20000); ++i) {
    const double a = uniform(random, -3.0, 3.0), b = uniform(random, -3.0, 3.0);
    const SinCos sum = further(sincos(a), sincos(b)), difference = between(sincos(a), sincos(b)),
                 half = opposite(sincos(a));
    EXPECT_NEAR(sum.sin, std::sin(a + b), 1e-15);
    EXPECT_NEAR(sum.cos, std::cos(a + b), 1e-15);
    EXPECT_NEAR(difference.sin, std::sin(b - a), 1e-15);
    EXPECT_NEAR(difference.cos, std::cos(b - a), 1e-15);
    EXPECT_NEAR(half.sin, std::sin(a + kPi), 1e-15);
    EXPECT_NEAR(half.cos, std::cos(a + kPi), 1e-15);
  }
}

TEST(Angle, OfAPointAtTheOriginIsTheOneAskedFor) {
  const SinCos held = sincos(0.7);
  EXPECT_EQ(turn_of(0.0, 0.0, held).sin, held.sin);
  EXPECT_EQ(turn_of(1e-160, 0.0, held).cos, held.cos) << "its square is no number that can be divided by";
  const SinCos tiny = turn_of(-3e-140, 4e-140, held);
  EXPECT_NEAR(tiny.sin, -0.6, 1e-15);
  EXPECT_NEAR(tiny.cos, 0.8, 1e-15);
}

TEST(FourWide, MultipliesAndTurnsAsMatricesDo) {
  Random random(4);
  for (int i = 0; i < 200; ++i) {
    const Eigen::Matrix3d M = test::random_rotation(random), Q = test::random_rotation(random);
    const Eigen::Vector3d v = test::random_vector(random, 2.0);
    const FourWide wide = four_wide(M);
    const auto matrix = [](const FourWide& W) {
      Eigen::Matrix3d R;
      for (int k = 0; k < 3; ++k) R.row(k) << W.x[k], W.y[k], W.z[k];
      return R;
    };
    const double a = uniform(random, -3.0, 3.0);
    EXPECT_LT((matrix(times(wide, Q.data())) - M * Q).norm(), 1e-15);
    EXPECT_LT((matrix(turned_about_x(wide, sincos(a))) - M * so3::about_axis(0, a)).norm(), 1e-15);
    EXPECT_LT((matrix(turned_about_y(wide, sincos(a))) - M * so3::about_axis(1, a)).norm(), 1e-15);
    EXPECT_LT((matrix(turned_about_z(wide, sincos(a))) - M * so3::about_axis(2, a)).norm(), 1e-15);
    EXPECT_LT((times(wide, v) - M * v).norm(), 2e-15);
    EXPECT_LT((seen_from(wide, v) - M.transpose() * v).norm(), 2e-15);
    EXPECT_NEAR(trace_of_difference(wide, Q.data()), (M.transpose() * Q).trace(), 2e-15);
  }
}

}  // namespace
}  // namespace panto
