#include "panto/math/vector_math.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>
#include <vector>

#include "panto/math/vector_math_inline.hpp"
#include "tests/support/random_model.hpp"
#include "tests/support/test_data.hpp"

namespace panto {
namespace {

constexpr double kPi = std::numbers::pi;
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

double error(double value, long double truth) {
  return static_cast<double>(std::abs(static_cast<long double>(value) - truth));
}

std::uint64_t bits(double x) { return std::bit_cast<std::uint64_t>(x); }

double sincos_error(double x) {
  const SinCos sc = sincos(x);
  return std::max(error(sc.sin, std::sin(static_cast<long double>(x))),
                  error(sc.cos, std::cos(static_cast<long double>(x))));
}

TEST(VectorMath, SineAndCosineAreAsAccurateAsStated) {
  static_assert(std::numeric_limits<long double>::digits >= 64, "the oracle needs extended precision");
  test::Random random(1);
  double worst = 0.0, worst_far = 0.0;
  for (int i = 0; i < test::scaled(200000); ++i) {
    const double size = i % 2 == 0 ? 7.0 : std::pow(10.0, test::uniform(random, -10.0, 5.0));
    worst = std::max(worst, sincos_error(test::uniform(random, -size, size)));
    const double x = test::uniform(random, 1e5, 1e6);
    worst_far = std::max(worst_far, sincos_error(x) / x);
  }
  // around every multiple of pi/4: where the reduction cancels, and where it changes quadrant
  for (int k = -20000; k <= 20000; ++k) {
    const double x = k * kPi / 4.0;
    for (const double near : {x, std::nextafter(x, kInf), std::nextafter(x, -kInf), x + 1e-9})
      worst = std::max(worst, sincos_error(near));
  }
  EXPECT_LT(worst, 2.3e-16);
  EXPECT_LT(worst_far, 1e-16);
}

TEST(VectorMath, SineIsOddCosineEvenAndZeroIsExact) {
  EXPECT_EQ(sincos(0.0).sin, 0.0);
  EXPECT_EQ(sincos(0.0).cos, 1.0);
  test::Random random(2);
  for (int i = 0; i < 20000; ++i) {
    const double x = test::uniform(random, 0.0, 100.0);
    ASSERT_EQ(sincos(-x).sin, -sincos(x).sin) << x;
    ASSERT_EQ(sincos(-x).cos, sincos(x).cos) << x;
    ASSERT_NEAR(sincos(x).sin * sincos(x).sin + sincos(x).cos * sincos(x).cos, 1.0, 4e-16);
  }
}

TEST(VectorMath, WhatIsNotFiniteStaysNotFinite) {
  for (const double x : {kNan, kInf, -kInf}) {
    EXPECT_FALSE(std::isfinite(sincos(x).sin)) << x;
    EXPECT_FALSE(std::isfinite(sincos(x).cos)) << x;
  }
  EXPECT_TRUE(std::isnan(tanh(kNan)));
  EXPECT_EQ(tanh(kInf), 1.0);
  EXPECT_EQ(tanh(-kInf), -1.0);
  EXPECT_EQ(exp_decay(-kInf), 0.0);
  EXPECT_EQ(exp_decay(kInf), 1.0);
  EXPECT_TRUE(std::isnan(atan2(kNan, 1.0)));
  EXPECT_TRUE(std::isnan(atan2(1.0, kNan)));
  EXPECT_NEAR(atan2(kInf, 1.0), 0.5 * kPi, 1e-16);
  EXPECT_NEAR(atan2(1.0, -kInf), kPi, 1e-16);
  EXPECT_EQ(atan2(-1.0, kInf), 0.0);
  EXPECT_NEAR(atan2(-kInf, -1.0), -0.5 * kPi, 3e-16);
  EXPECT_EQ(atan2(kInf, kInf), 0.25 * kPi);
  EXPECT_EQ(atan2(-kInf, -kInf), -0.75 * kPi);
  EXPECT_TRUE(std::isnan(asin(kNan)));
}

TEST(VectorMath, TanhIsAsAccurateAsStated) {
  test::Random random(3);
  double worst = 0.0;
  for (int i = 0; i < test::scaled(200000); ++i) {
    const double size = i % 2 == 0 ? 22.0 : std::pow(10.0, test::uniform(random, -12.0, 1.4));
    const double x = test::uniform(random, -size, size);
    worst = std::max(worst, error(tanh(x), std::tanh(static_cast<long double>(x))));
    ASSERT_EQ(tanh(-x), -tanh(x));
    ASSERT_LE(std::abs(tanh(x)), 1.0);
  }
  for (const double x : {0.02, std::nextafter(0.02, 0.0), 21.999, 22.0})  // where the forms meet
    worst = std::max(worst, error(tanh(x), std::tanh(static_cast<long double>(x))));
  EXPECT_LT(worst, 1e-15);
  EXPECT_EQ(tanh(22.0), 1.0);
  EXPECT_EQ(tanh(-1e308), -1.0);
  EXPECT_EQ(bits(tanh(-0.0)), bits(-0.0));
}

TEST(VectorMath, DecayIsAsAccurateAsStated) {
  test::Random random(4);
  double worst = 0.0;
  for (int i = 0; i < test::scaled(200000); ++i) {
    const double x =
        i % 2 == 0 ? test::uniform(random, -700.0, 0.0) : -std::pow(10.0, test::uniform(random, -15.0, 0.5));
    const long double truth = std::exp(static_cast<long double>(x));
    worst = std::max(worst, error(exp_decay(x), truth) / static_cast<double>(truth));
  }
  EXPECT_LT(worst, 5e-16);
  EXPECT_EQ(exp_decay(0.0), 1.0);
  EXPECT_EQ(exp_decay(3.0), 1.0);  // growth counts as none
  EXPECT_EQ(exp_decay(-700.1), 0.0);
  EXPECT_GT(exp_decay(-700.0), 0.0);
}

TEST(VectorMath, TheExponentialAsAQuotientIsAsAccurateAsStated) {
  test::Random random(8);
  double worst = 0.0, worst_decay = 0.0;
  for (int i = 0; i < test::scaled(200000); ++i) {
    const double size = i % 2 == 0 ? 700.0 : std::pow(10.0, test::uniform(random, -15.0, 1.0));
    const double x = test::uniform(random, -size, size);
    const vector_math::Ratio ratio = vector_math::exp_ratio(x);
    const long double value = static_cast<long double>(ratio.over) / static_cast<long double>(ratio.under);
    const long double truth = std::exp(static_cast<long double>(x));
    const double relative = static_cast<double>(std::abs(value / truth - 1.0L));
    worst = std::max(worst, relative / (1e-15 + 2e-16 * std::abs(x)));
    if (x <= 0.0) worst_decay = std::max(worst_decay, static_cast<double>(std::abs(value - truth)));
  }
  EXPECT_LT(worst, 1.0);
  EXPECT_LT(worst_decay, 1.1e-15);
}

TEST(VectorMath, AnglesOfPointsAreAsAccurateAsStated) {
  test::Random random(5);
  double worst = 0.0;
  const auto check = [&](double y, double x) {
    worst = std::max(
        worst, error(atan2(y, x), std::atan2(static_cast<long double>(y), static_cast<long double>(x))));
  };
  for (int i = 0; i < test::scaled(200000); ++i) {
    const double angle = test::uniform(random, -kPi, kPi);
    const double size = std::pow(10.0, test::uniform(random, -150.0, 150.0));
    check(size * std::sin(angle), size * std::cos(angle));
    check(test::uniform(random, -1.0, 1.0) * std::pow(10.0, test::uniform(random, -20.0, 0.0)),
          test::uniform(random, -1.0, 1.0));
  }
  // where the reductions meet, in all octants
  for (const double t : {0.0, 7.0 / 16.0, 11.0 / 16.0, 1.0, 16.0 / 11.0, 16.0 / 7.0}) {
    for (const double y : {t, -t}) {
      for (const double x : {1.0, -1.0}) check(y, x), check(x, y);
    }
  }
  EXPECT_LT(worst, 6e-16);  // 1.3 units in the last place of pi
  EXPECT_EQ(atan2(0.0, 0.0), 0.0);
  EXPECT_EQ(atan2(0.0, -1.0), kPi);
  EXPECT_EQ(atan2(-0.0, -1.0), -kPi);
  EXPECT_EQ(atan2(0.0, 5.0), 0.0);
  EXPECT_EQ(atan2(5.0, 0.0), 0.5 * kPi);
  EXPECT_EQ(atan2(1e-308, 1e308), 0.0);
}

TEST(VectorMath, AsinClipsWhatRoundingCarriedBeyondOne) {
  test::Random random(6);
  double worst = 0.0;
  for (int i = 0; i < test::scaled(100000); ++i) {
    const double x = i % 2 == 0 ? test::uniform(random, -1.0, 1.0)
                                : 1.0 - std::pow(10.0, test::uniform(random, -16.0, 0.0));
    worst = std::max(worst, error(asin(x), std::asin(static_cast<long double>(x))));
  }
  EXPECT_LT(worst, 1e-15);
  EXPECT_EQ(asin(1.0), 0.5 * kPi);
  EXPECT_EQ(asin(1.0 + 1e-15), asin(1.0));
  EXPECT_EQ(asin(-2.0), -0.5 * kPi);
}

TEST(VectorMath, ArraysGiveTheBitsOfSingleValues) {
  // whatever width the compiler chose for the loop
  test::Random random(7);
  for (const std::size_t n :
       {std::size_t{0}, std::size_t{1}, std::size_t{3}, std::size_t{66}, std::size_t{1001}}) {
    std::vector<double> x(n), s(n), c(n), h(n);
    // some stretches need no reduction, some do
    for (std::size_t i = 0; i < n; ++i) {
      const double size = i / 24 % 2 == 0 ? 0.78 : 30.0;
      x[i] = i % 29 == 28 ? test::uniform(random, 0.784, 0.787) : test::uniform(random, -size, size);
    }
    if (n > 3) x[2] = -0.0, x[n - 1] = kNan;
    sincos(x.data(), n, s.data(), c.data());
    tanh(x.data(), n, h.data());
    for (std::size_t i = 0; i < n; ++i) {
      ASSERT_EQ(bits(s[i]), bits(sincos(x[i]).sin));
      ASSERT_EQ(bits(c[i]), bits(sincos(x[i]).cos));
      ASSERT_EQ(bits(h[i]), bits(tanh(x[i])));
    }
  }
}

TEST(VectorMath, SinesOrCosinesMayTakeThePlaceOfTheirAngles) {
  // groups of 24 that need no reduction, such that do, and a rest that is no group
  test::Random random(8);
  for (const std::size_t n : {std::size_t{24}, std::size_t{48}, std::size_t{77}, std::size_t{119}}) {
    std::vector<double> x(n), s(n), c(n), other(n);
    for (std::size_t i = 0; i < n; ++i) {
      const double size = i / 24 % 2 == 0 ? 0.78 : 30.0;
      x[i] = test::uniform(random, -size, size);
    }
    s = c = x;
    sincos(s.data(), n, s.data(), other.data());
    for (std::size_t i = 0; i < n; ++i) {
      ASSERT_EQ(bits(s[i]), bits(sincos(x[i]).sin)) << i << " of " << n;
      ASSERT_EQ(bits(other[i]), bits(sincos(x[i]).cos)) << i << " of " << n;
    }
    sincos(c.data(), n, other.data(), c.data());
    for (std::size_t i = 0; i < n; ++i) {
      ASSERT_EQ(bits(other[i]), bits(sincos(x[i]).sin)) << i << " of " << n;
      ASSERT_EQ(bits(c[i]), bits(sincos(x[i]).cos)) << i << " of " << n;
    }
  }
}

TEST(VectorMath, GivesTheSameBitsOnEveryMachine) {
  // decision 10: pinned once; another compiler, CPU or vector width must not change them
  struct Pinned {
    double x;
    std::uint64_t sin, cos, tanh, decay, angle, asin;
  };
  constexpr Pinned pinned[] = {
      {0.001, 0x3f50624da5218a62, 0x3feffffef390876c, 0x3f50624d77516ce2, 0x3feff7cfe56f1a9e,
       0x3f40624dbc099a55, 0x3f10624dd31f7a1b},
      {0.29999999999999999, 0x3fd2e9cd95baba33, 0x3fee921dd42f09ba, 0x3fd2a4dda7d914f9, 0x3fe7b4c869c37c05,
       0x3fc30ed367d7cd04, 0x3f93337cf08dfadb},
      {0.78539816339744828, 0x3fe6a09e667f3bcc, 0x3fe6a09e667f3bcd, 0x3fe4fc441fa6d6d6, 0x3fdd2e171cf04879,
       0x3fd7f2d6a24777e1, 0x3fa9249183c1189f},
      {1, 0x3feaed548f090cee, 0x3fe14a280fb5068c, 0x3fe85efab514f394, 0x3fd78b56362cef38, 0x3fddac670561bb4f,
       0x3fb002abde95361a},
      {2.5, 0x3fe326af0dcfcab0, 0xbfe9a2f7ef858b7d, 0x3fef9258260a71c3, 0x3fb50385c094f425,
       0x3fecac7c57846f9e, 0x3fc41510cb011423},
      {3.1415926535897931, 0x3ca1a62633145c00, 0xbff0000000000000, 0x3fefe175fa29280f, 0x3fa620227b598efa,
       0x3ff00fe987ed02ff, 0x3fc94c0ebe7e815a},
      {10, 0xbfe1689ef5f34f53, 0xbfead9ac890c6b1f, 0x3feffffffdc96f35, 0x3f07cd79b5647c9a, 0x3ff5f97315254856,
       0x3fe59aad71ced00f},
      {15.5, 0x3fca6d86c54e1e8b, 0xbfef4f7da2eee1c5, 0x3feffffffffffd94, 0x3e88e7138077168c,
       0x3ff7145eac2088a3, 0x3ff51f4bd13f8590},
  };
  for (const Pinned& p : pinned) {
    EXPECT_EQ(bits(sincos(p.x).sin), p.sin) << p.x;
    EXPECT_EQ(bits(sincos(p.x).cos), p.cos) << p.x;
    EXPECT_EQ(bits(tanh(p.x)), p.tanh) << p.x;
    EXPECT_EQ(bits(exp_decay(-p.x)), p.decay) << p.x;
    EXPECT_EQ(bits(atan2(p.x, 2.0)), p.angle) << p.x;
    EXPECT_EQ(bits(asin(p.x / 16.0)), p.asin) << p.x;
  }
}

}  // namespace
}  // namespace panto
