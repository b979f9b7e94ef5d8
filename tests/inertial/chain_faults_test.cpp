// The right arm under every single fault of its sensors: how far the joints are off, and that none loses it.
// What each costs over 30 seeds: docs/results/inertial.md.

#include <gtest/gtest.h>

#include "tests/support/right_arm.hpp"
#include "tests/support/test_data.hpp"

namespace panto {
namespace {

constexpr double kMost = 5.0;  // [deg] of all joints, root mean square: what is asked

class AnyFault : public testing::TestWithParam<std::size_t> {};

TEST_P(AnyFault, LeavesTheJointsWithinFiveDegreesAndLosesNothing) {
  const DhTree tree = test::right_arm_tree(PANTO_CHAINS);
  const test::ArmFault fault = test::arm_faults()[GetParam()];
  for (int seed = 1; seed <= test::scaled_numerical(2); ++seed) {
    const test::ArmErrors errors =
        test::follow_arm(tree, fault, test::suit_options(), static_cast<std::uint64_t>(seed), 15.0);
    EXPECT_LT(errors.rmse_deg, kMost) << fault.name << ", seed " << seed;
    // one that diverges ends far from where it was
    EXPECT_LT(errors.last_deg, 2.0 * kMost) << fault.name << ", seed " << seed;
    EXPECT_EQ(errors.failed, 0) << fault.name << ", seed " << seed;
  }
}

INSTANTIATE_TEST_SUITE_P(Every, AnyFault, testing::Range(std::size_t{0}, test::arm_faults().size()));

TEST(ArmFaults, WithoutAnyTheJointsAreWithinAQuarterDegree) {
  const DhTree tree = test::right_arm_tree(PANTO_CHAINS);
  for (int seed = 1; seed <= test::scaled(3); ++seed) {
    const test::ArmErrors errors =
        test::follow_arm(tree, {"none"}, test::suit_options(), static_cast<std::uint64_t>(seed), 15.0);
    EXPECT_LT(errors.rmse_deg, 0.25) << "seed " << seed;
  }
}

TEST(ArmFaults, AnEstimatedMountingHalvesWhatANoisyOneCosts) {
  const DhTree tree = test::right_arm_tree(PANTO_CHAINS);
  const test::ArmFault mounting{"mounting, 3 deg",
                                [](ImuSignalOptions& o) { o.mounting.turn = 3.0 * test::kDegree; }};
  ChainEkfOptions inflate = test::suit_options();
  inflate.mounting_use = MountingUse::Inflate;
  double with_noise = 0.0, estimated = 0.0;
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    with_noise += test::follow_arm(tree, mounting, inflate, seed, 15.0).rmse_deg;
    estimated += test::follow_arm(tree, mounting, test::suit_options(), seed, 15.0).rmse_deg;
  }
  EXPECT_LT(estimated, 0.5 * with_noise);
}

}  // namespace
}  // namespace panto
