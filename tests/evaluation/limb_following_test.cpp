#include "panto/evaluation/limb_following.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace panto {
namespace {

using Eigen::Vector3d;

constexpr double kRate = 50.0, kDegree = 3.14159265358979323846 / 180.0;

Vector3d leant(double degrees) { return {std::sin(degrees * kDegree), 0.0, -std::cos(degrees * kDegree)}; }

TEST(LimbFollowing, SegmentsHaveNamesThatPeopleUse) {
  EXPECT_EQ(plain_name("LeftUpperLeg"), "left thigh");
  EXPECT_EQ(plain_name("RightLowerLeg"), "right shank");
  EXPECT_EQ(plain_name("LeftForeArm"), "left forearm");
  EXPECT_EQ(plain_name("RightUpperArm"), "right upper arm");
  EXPECT_EQ(plain_name("Trunk"), "trunk");
}

TEST(LimbFollowing, AThighThatTurnsUpIsNamedWithItsMomentAndItsTime) {
  LimbFollowing limbs({"left thigh", "left shank"});
  for (int k = 0; k < 100; ++k) {
    const double off = k == 70 ? 179.0 : k >= 60 && k <= 90 ? 80.0 : 5.0;
    limbs.add(from_seconds(k / kRate), 0, leant(off), 0.4 * leant(0.0));  // lengths play no part
    limbs.add(from_seconds(k / kRate), 1, leant(3.0), leant(0.0));
  }
  const LimbFigures figures = limbs.report();
  EXPECT_EQ(figures.limb_direction_max_limb, "left thigh");
  EXPECT_NEAR(*figures.limb_direction_max_deg, 179.0, 1e-9);
  EXPECT_NEAR(*figures.limb_direction_max_at_s, 70 / kRate, 1e-9);
  EXPECT_EQ(figures.limb_over_60_longest_limb, "left thigh");
  EXPECT_NEAR(*figures.limb_over_60_longest_s, 30 / kRate, 1e-9);
  EXPECT_NEAR(*figures.limb_over_60_longest_at_s, 60 / kRate, 1e-9);
  EXPECT_NEAR(*figures.limb_direction_mean_deg, (69 * 5.0 + 30 * 80.0 + 179.0 + 100 * 3.0) / 200.0, 1e-9);
}

TEST(LimbFollowing, ABreakOrACutEndsTheTimeOff) {
  LimbFollowing limbs({"left thigh"});
  for (int k = 0; k < 90; ++k) {
    if (k == 60) limbs.interrupt();
    limbs.add(from_seconds(k / kRate), 0, leant(k == 30 ? 59.0 : 61.0), leant(0.0));
  }
  // 0 to 29, 31 to 59, 60 to 89
  EXPECT_NEAR(*limbs.report().limb_over_60_longest_s, 29 / kRate, 1e-9);
}

TEST(LimbFollowing, UnknownDirectionsAreLeftOut) {
  LimbFollowing limbs({"left thigh"});
  limbs.add(0, 0, Vector3d::Zero(), leant(0.0));
  limbs.add(1, 0, leant(0.0), Vector3d::Constant(std::nan("")));
  EXPECT_EQ(limbs.count(), 0U);
  EXPECT_FALSE(limbs.report().limb_direction_max_deg || limbs.report().limb_over_60_longest_s);
}

}  // namespace
}  // namespace panto
