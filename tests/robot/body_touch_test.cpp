#include "panto/robot/body_touch.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "panto/base/index.hpp"
#include "tests/support/random_model.hpp"
#include "tests/support/test_data.hpp"

namespace panto::robot {
namespace {

using enum BodyPart::Index;

using Eigen::Matrix3d;
using Eigen::Vector3d;

constexpr double kHeight = 1.75;

// a person of 1.75 m who stands, between the feet at the origin
BodyLines standing() {
  BodyLines body;
  body[HeadPart] = {{0.0, 0.0, 1.57}, {0.0, 0.0, 1.75}, true};
  body[TrunkPart] = {{0.0, 0.0, 0.93}, {0.0, 0.0, 1.42}, true};
  body[PelvisPart] = {{0.0, -0.09, 0.93}, {0.0, 0.09, 0.93}, true};
  body[RightThighPart] = {{0.0, -0.09, 0.93}, {0.0, -0.09, 0.50}, true};
  body[LeftThighPart] = {{0.0, 0.09, 0.93}, {0.0, 0.09, 0.50}, true};
  return body;
}

BodyLines scaled(BodyLines body, double scale, const Vector3d& shift) {
  for (BodyLine& line : body) line = {scale * line.from + shift, scale * line.to + shift, line.known};
  return body;
}

TEST(BodyTouch, NearnessFallsFromOneToNothingWithContinuousDerivatives) {
  constexpr double near = 0.1, apart = 0.3, h = 1e-5;
  EXPECT_EQ(nearness(0.0, near, apart), 1.0);
  EXPECT_EQ(nearness(near, near, apart), 1.0);
  EXPECT_EQ(nearness(apart, near, apart), 0.0);
  EXPECT_EQ(nearness(9.0, near, apart), 0.0);
  EXPECT_NEAR(nearness(0.2, near, apart), 0.5, 1e-15);
  const auto slope = [&](double d) {
    return (nearness(d + h, near, apart) - nearness(d - h, near, apart)) / (2.0 * h);
  };
  // u^3(10 - 15u + 6u^2) is steepest in the middle, 15/8 over the width, and bends by at most 5.78 over its
  // square
  double before = slope(0.05);
  for (double d = 0.05 + h; d < 0.35; d += h) {
    const double now = slope(d);
    EXPECT_LE(now, 1e-12) << d;
    EXPECT_GE(now, -1.875 / (apart - near) - 1e-6) << d;
    EXPECT_LE(std::abs(now - before), 5.78 / std::pow(apart - near, 2) * h + 1e-7) << d;
    before = now;
  }
}

TEST(BodyTouch, AHandOnTheHipIsOnTheHipOfABodyOfAnotherSize) {
  const BodyLines person = standing();
  const Vector3d shift(0.3, -0.2, 0.1);
  const BodyLines robot = scaled(person, 0.6, shift);
  const Vector3d hand(0.0, -0.20, 0.95), elsewhere(0.4, -0.5, 1.0);  // 11 cm from the hip: on it
  const HandTouch touch = touch_body(hand, person, elsewhere, robot, kHeight);
  EXPECT_EQ(touch.part, PelvisPart);
  EXPECT_EQ(touch.touch, 1.0);
  EXPECT_EQ(touch.share, 0.0) << "its right end";
  EXPECT_NEAR(touch.distance, 0.6 * std::hypot(0.11, 0.02), 1e-12);
  // parts that are alike in both bodies agree on the place
  EXPECT_LT((elsewhere + touch.shift - (0.6 * hand + shift)).norm(), 1e-12);
}

TEST(BodyTouch, AHandOnTheHeadFollowsTheHeadAloneWhereOnlyThatIsNear) {
  const BodyLines person = standing();
  BodyLines robot = scaled(person, 1.0, Vector3d::Zero());
  robot[HeadPart] = {{0.05, 0.0, 1.0}, {0.05, 0.0, 1.09}, true};  // half as long
  const Vector3d hand(0.02, 0.0, 1.85);
  const HandTouch touch = touch_body(hand, person, hand, robot, kHeight);
  EXPECT_EQ(touch.part, HeadPart);
  EXPECT_EQ(touch.share, 1.0);
  EXPECT_LT((hand + touch.shift - Vector3d(0.06, 0.0, 1.14)).norm(), 1e-12);
}

TEST(BodyTouch, FarHandsAndUnknownPartsChangeNothing) {
  BodyLines person = standing();
  const Vector3d far(0.6, 0.0, 1.2), near(0.0, -0.2, 0.95);
  EXPECT_EQ(touch_body(far, person, near, person, kHeight).touch, 0.0);
  EXPECT_EQ(touch_body(far, person, near, person, kHeight).part, -1);
  for (BodyLine& line : person) line.known = false;
  const HandTouch touch = touch_body(near, person, near, standing(), kHeight);
  EXPECT_EQ(touch.touch, 0.0);
  EXPECT_EQ(touch.shift, Vector3d::Zero());
}

// Along drawn ways of a hand past the body nothing jumps, and the speed of what is asked of the other hand
// does not jump either, but where the nearest point of a line comes to its end.
TEST(BodyTouch, NeverJumpsAndBendsOnlyAtTheEndsOfLines) {
  test::Random random(7);
  const BodyLines person = standing(), robot = scaled(person, 0.7, Vector3d(0.1, 0.0, 0.0));
  constexpr double h = 1e-4;
  const auto at_end = [&](const Vector3d& hand, const Vector3d& way) {
    return std::any_of(person.begin(), person.end(), [&](const BodyLine& line) {
      const double a = nearest_share(line, hand - 2.0 * h * way),
                   b = nearest_share(line, hand + 2.0 * h * way);
      return (a <= 0.0) != (b <= 0.0) || (a >= 1.0) != (b >= 1.0);
    });
  };
  int touched = 0;
  for (int trial = 0; trial < test::scaled(50); ++trial) {
    const Vector3d from = Vector3d(0.0, 0.0, 1.0) + test::random_vector(random, 0.6),
                   way = test::random_vector(random, 1.0).normalized();
    const auto ask = [&](double x) {
      const Vector3d hand = from + x * way;
      return touch_body(hand, person, 0.7 * hand, robot, kHeight);
    };
    for (double x = 0.0; x < 0.5; x += 0.003) {
      const HandTouch a = ask(x - h), b = ask(x), c = ask(x + h);
      touched += b.touch > 0.0 ? 1 : 0;
      // slopes: at most one hand's way and 1.875 of the fade per metre, times the shifts of some decimetres
      EXPECT_LT((c.shift - b.shift).norm(), 10.0 * h);
      EXPECT_LT(std::abs(c.touch - b.touch), 40.0 * h);
      if (at_end(from + x * way, way)) continue;
      EXPECT_LT((c.shift - 2.0 * b.shift + a.shift).norm(), 2e3 * h * h) << trial << ' ' << x;
      EXPECT_LT(std::abs(c.touch - 2.0 * b.touch + a.touch), 5e3 * h * h) << trial << ' ' << x;
    }
  }
  EXPECT_GT(touched, 100);
}

}  // namespace
}  // namespace panto::robot
