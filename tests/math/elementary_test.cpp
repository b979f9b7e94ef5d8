#include "panto/math/elementary.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>

#include "tests/support/random_model.hpp"
#include "tests/support/test_data.hpp"

namespace panto {
namespace {

constexpr double kPi = std::numbers::pi;
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kLargest = std::numeric_limits<double>::max();
constexpr double kLeastNormal = std::numeric_limits<double>::min();
constexpr double kLeast = std::numeric_limits<double>::denorm_min();

std::uint64_t bits(double x) { return std::bit_cast<std::uint64_t>(x); }

// distance of `value` from `truth` in units of the last place of `truth`
double ulps(double value, long double truth) {
  static_assert(std::numeric_limits<long double>::digits >= 64, "the oracle needs extended precision");
  int exponent = 0;
  (void)std::frexp(truth, &exponent);
  const long double unit = std::ldexp(1.0L, std::max(exponent - 53, -1074));
  return static_cast<double>(std::abs(static_cast<long double>(value) - truth) / unit);
}

// up to +-limit, by size or by order of magnitude down to 10^least
double drawn(test::Random& random, int i, double limit, double least) {
  const double size = i % 2 == 0 ? limit : std::pow(10.0, test::uniform(random, least, std::log10(limit)));
  return test::uniform(random, -size, size);
}

TEST(Elementary, TheExponentialIsAsAccurateAsStated) {
  test::Random random(1);
  double worst = 0.0;
  for (int i = 0; i < test::scaled(300000); ++i) {
    const double x = drawn(random, i, 745.0, -20.0);
    if (x < 709.7) worst = std::max(worst, ulps(exp(x), std::exp(static_cast<long double>(x))));
  }
  for (int k = -1074; k <= 1023; ++k) {  // where the reduction changes its multiple, and where powers meet
    for (const double x : {k * std::numbers::ln2, (k + 0.5) * std::numbers::ln2}) {
      for (const double near : {x, std::nextafter(x, kInf), std::nextafter(x, -kInf)}) {
        if (near < 709.78) worst = std::max(worst, ulps(exp(near), std::exp(static_cast<long double>(near))));
      }
    }
  }
  RecordProperty("worst_ulps", std::to_string(worst));
  EXPECT_LT(worst, 1.0);
}

TEST(Elementary, TheExponentialEndsInZeroAndInfinity) {
  EXPECT_EQ(exp(0.0), 1.0);
  EXPECT_EQ(exp(-0.0), 1.0);
  EXPECT_EQ(exp(kLeast), 1.0);
  EXPECT_TRUE(std::isfinite(exp(709.782712893383973096)));
  EXPECT_EQ(exp(709.8), kInf);
  EXPECT_EQ(exp(kLargest), kInf);
  EXPECT_EQ(exp(kInf), kInf);
  EXPECT_EQ(exp(-745.0), kLeast);
  EXPECT_EQ(exp(-745.2), 0.0);
  EXPECT_EQ(exp(-kLargest), 0.0);
  EXPECT_EQ(exp(-kInf), 0.0);
  EXPECT_TRUE(std::isnan(exp(kNan)));
}

TEST(Elementary, TheExponentialLessOneIsAsAccurateAsStated) {
  test::Random random(2);
  double worst = 0.0;
  for (int i = 0; i < test::scaled(300000); ++i) {
    const double limit = i % 3 == 0 ? 700.0 : i % 3 == 1 ? 40.0 : 1.0;
    const double x = drawn(random, i / 3, limit, -300.0);
    worst = std::max(worst, ulps(expm1(x), std::expm1(static_cast<long double>(x))));
  }
  for (int k = -60; k <= 60; ++k) {
    for (const double x : {k * std::numbers::ln2, (k + 0.5) * std::numbers::ln2}) {
      for (const double near : {x, std::nextafter(x, kInf), std::nextafter(x, -kInf)})
        worst = std::max(worst, ulps(expm1(near), std::expm1(static_cast<long double>(near))));
    }
  }
  RecordProperty("worst_ulps", std::to_string(worst));
  EXPECT_LT(worst, 1.0);
  EXPECT_EQ(bits(expm1(0.0)), bits(0.0));
  EXPECT_EQ(bits(expm1(-0.0)), bits(-0.0));
  EXPECT_EQ(expm1(kLeast), kLeast);
  EXPECT_EQ(expm1(-kLeastNormal), -kLeastNormal);
  EXPECT_TRUE(std::isfinite(expm1(709.78)));
  EXPECT_EQ(expm1(709.8), kInf);
  EXPECT_EQ(expm1(kInf), kInf);
  EXPECT_EQ(expm1(-40.0), -1.0);
  EXPECT_EQ(expm1(-kInf), -1.0);
  EXPECT_TRUE(std::isnan(expm1(kNan)));
}

TEST(Elementary, TheLogarithmIsAsAccurateAsStated) {
  test::Random random(3);
  double worst = 0.0;
  const auto check = [&](double x) {
    worst = std::max(worst, ulps(log(x), std::log(static_cast<long double>(x))));
  };
  for (int i = 0; i < test::scaled(200000); ++i) {
    check(test::uniform(random, 0.0, 3.0));
    check(std::pow(10.0, test::uniform(random, -323.0, 308.0)));
    check(1.0 + drawn(random, 1, 0.5, -16.0));
  }
  for (int k = -1074; k <= 1023; ++k) {
    for (const double x : {std::ldexp(1.0, k), std::ldexp(std::numbers::sqrt2, k)}) {
      for (const double near : {x, std::nextafter(x, kInf), std::nextafter(x, 0.0)}) {
        if (near > 0.0 && near != 1.0) check(near);
      }
    }
  }
  RecordProperty("worst_ulps", std::to_string(worst));
  EXPECT_LT(worst, 1.0);
  EXPECT_EQ(bits(log(1.0)), bits(0.0));
  EXPECT_EQ(log(0.0), -kInf);
  EXPECT_EQ(log(-0.0), -kInf);
  EXPECT_EQ(log(kInf), kInf);
  EXPECT_TRUE(std::isnan(log(-1.0)));
  EXPECT_TRUE(std::isnan(log(-kInf)));
  EXPECT_TRUE(std::isnan(log(kNan)));
}

TEST(Elementary, TheLogarithmOfOneAndMoreIsAsAccurateAsStated) {
  test::Random random(4);
  double worst = 0.0;
  const auto check = [&](double x) {
    worst = std::max(worst, ulps(log1p(x), std::log1p(static_cast<long double>(x))));
  };
  for (int i = 0; i < test::scaled(200000); ++i) {
    check(drawn(random, i, 0.999, -300.0));
    check(std::pow(10.0, test::uniform(random, -20.0, 308.0)));
    check(-1.0 + std::pow(10.0, test::uniform(random, -15.9, 0.0)));
  }
  for (const double x : {-0.2928, 0.4142, std::nextafter(-1.0, 0.0), 1.0, 0x1p53, 0x1p54, 0x1p55, kLargest}) {
    for (const double near : {x, std::nextafter(x, 0.0), -x / (1.0 + x)}) check(near);
  }
  RecordProperty("worst_ulps", std::to_string(worst));
  EXPECT_LT(worst, 1.0);
  EXPECT_EQ(bits(log1p(0.0)), bits(0.0));
  EXPECT_EQ(bits(log1p(-0.0)), bits(-0.0));
  EXPECT_EQ(log1p(-kLeast), -kLeast);
  EXPECT_EQ(log1p(-1.0), -kInf);
  EXPECT_EQ(log1p(kInf), kInf);
  EXPECT_TRUE(std::isnan(log1p(-1.5)));
  EXPECT_TRUE(std::isnan(log1p(kNan)));
}

TEST(Elementary, TheArcCosineIsAsAccurateAsStated) {
  test::Random random(5);
  double worst = 0.0, worst_small = 0.0;
  for (int i = 0; i < test::scaled(200000); ++i) {
    const double below = std::pow(10.0, test::uniform(random, -16.0, -0.4));
    for (const double x : {test::uniform(random, -1.0, 1.0), drawn(random, 1, 1.0, -300.0), below - 1.0}) {
      const long double truth = std::acos(static_cast<long double>(x));
      worst = std::max(worst, static_cast<double>(std::abs(static_cast<long double>(acos(x)) - truth)));
    }
    const double near = 1.0 - below;
    worst_small = std::max(worst_small, ulps(acos(near), std::acos(static_cast<long double>(near))));
  }
  RecordProperty("worst", std::to_string(worst * 1e16) + "e-16, " + std::to_string(worst_small) + " ulps");
  EXPECT_LT(worst, 8e-16);
  EXPECT_LT(worst_small, 3.0);
  EXPECT_EQ(bits(acos(1.0)), bits(0.0));
  EXPECT_EQ(acos(0.0), 0.5 * kPi);
  EXPECT_EQ(acos(-1.0), kPi);
  EXPECT_EQ(acos(1.0 + 1e-15), 0.0);  // what rounding carried beyond one
  EXPECT_EQ(acos(-2.0), kPi);
  EXPECT_TRUE(std::isnan(acos(kNan)));
}

TEST(Elementary, TheHypotenuseIsAsAccurateAsStated) {
  test::Random random(6);
  double worst = 0.0;
  for (int i = 0; i < test::scaled(100000); ++i) {
    const double x = drawn(random, i, 10.0, -100.0), y = drawn(random, i, 1e100, -100.0),
                 z = i % 3 == 0 ? 0.0 : drawn(random, i, 3.0, -5.0);
    const long double squares =
        static_cast<long double>(x) * x + static_cast<long double>(y) * y + static_cast<long double>(z) * z;
    worst = std::max(worst, ulps(hypot(x, y, z), std::sqrt(squares)));
    ASSERT_EQ(hypot(x, y), hypot(-y, x));
  }
  RecordProperty("worst_ulps", std::to_string(worst));
  EXPECT_LT(worst, 2.0);
  EXPECT_EQ(hypot(3.0, 4.0), 5.0);
  EXPECT_EQ(hypot(2.0, 3.0, 6.0), 7.0);
  EXPECT_EQ(hypot(0.0, -0.0), 0.0);
  EXPECT_EQ(hypot(-kInf, 1.0), kInf);
  EXPECT_TRUE(std::isnan(hypot(kNan, 1.0)));
}

TEST(Elementary, PowersAreProducts) {
  for (const double x : {0.3, -1.7, 12.0}) {
    EXPECT_EQ(power(x, 0), 1.0);
    EXPECT_EQ(power(x, 1), x);
    EXPECT_EQ(power(x, 2), x * x);
    EXPECT_EQ(power(x, 3), x * (x * x));
    EXPECT_EQ(power(x, 4), (x * x) * (x * x));
    EXPECT_EQ(power(x, -2), 1.0 / (x * x));
    EXPECT_NEAR(power(x, 11) / std::pow(x, 11.0), 1.0, 1e-15);
  }
  EXPECT_EQ(power(0.0, 0), 1.0);
  EXPECT_EQ(power(0.0, -2), kInf);
  EXPECT_EQ(power(kLargest, 2), kInf);
  EXPECT_TRUE(std::isnan(power(kNan, 3)));
}

TEST(Elementary, WhatGrowsDoesNotFallBack) {
  test::Random random(7);
  for (int i = 0; i < test::scaled(100000); ++i) {
    const double x = drawn(random, i, 30.0, -8.0), further = x + std::abs(x) * 1e-14;
    ASSERT_LE(exp(x), exp(further)) << x;
    ASSERT_LE(expm1(x), expm1(further)) << x;
    ASSERT_LE(log(std::abs(x)), log(std::abs(x) * (1.0 + 1e-14))) << x;
    ASSERT_LE(log1p(std::abs(x)), log1p(std::abs(x) * (1.0 + 1e-14))) << x;
    const double cosine = test::uniform(random, -1.0, 1.0);
    ASSERT_GE(acos(cosine), acos(cosine + 1e-14)) << cosine;
    ASSERT_NEAR(acos(cosine) + acos(-cosine), kPi, 1e-15) << cosine;
    ASSERT_NEAR(log(exp(x)), x, 1e-15 + 3e-16 * std::abs(x));
  }
}

TEST(Elementary, GivesTheSameBitsOnEveryMachine) {
  // decision 10: pinned once; another compiler or CPU must not change them
  struct Pinned {
    double x;
    std::uint64_t exp, expm1, log, log1p, acos;
  };
  constexpr Pinned pinned[] = {
      {0.001, 0x3ff0041919b7ee34, 0xbf50603521cac48c, 0xc01ba18a998fffa0, 0x3f5060354f8c3ebf,
       0x3fa6e346f895a8ce},
      {0.3, 0x3ff599058c8c1a96, 0xbfd0966f2c7907f6, 0xbff34378fcbda721, 0x3fd0ca937be1b9dc,
       0x3fe62e5dafbe18e8},
      {0.5, 0x3ffa61298e1e069c, 0xbfd92e9a0720d3ec, 0xbfe62e42fefa39ef, 0x3fd9f323ecbf984c,
       0x3feaea08d838f153},
      {0.9, 0x4003ad44655c78bc, 0xbfe2fd619ffbc8f1, 0xbfbaf8e8210a415c, 0x3fe48a11293d785c,
       0x3ff043b9abfde070},
      {1.5, 0x4011ed3fe64fc541, 0xbfe8dc1e236d28f9, 0x3fd9f323ecbf984c, 0x3fed5240f0e0e078,
       0x3ff28c68a40a5e8b},
      {3.7, 0x4044394144eeec81, 0xbfef357701cbc77e, 0x3ff4eeee650ae550, 0x3ff8c2d0e7b73742,
       0x3ff5b3c788a1fbb2},
      {12.25, 0x410982aa4f9aec90, 0xbfeffff5f7027930, 0x40040b512eb53d60, 0x4004ac06e8a51fb3,
       0x3ff7ec8e325ee440},
      {700.1, 0x7f1058614179b2a5, 0xbff0000000000000, 0x401a3473d98da8a6, 0x401a35ea054586b8,
       0x3ff91c23b6940feb},
  };
  for (const Pinned& p : pinned) {
    EXPECT_EQ(bits(exp(p.x)), p.exp) << p.x;
    EXPECT_EQ(bits(expm1(-p.x)), p.expm1) << p.x;
    EXPECT_EQ(bits(log(p.x)), p.log) << p.x;
    EXPECT_EQ(bits(log1p(p.x)), p.log1p) << p.x;
    EXPECT_EQ(bits(acos(1.0 / (1.0 + p.x))), p.acos) << p.x;
  }
}

}  // namespace
}  // namespace panto
