#include "panto/evaluation/limb_directions.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <numbers>

#include "panto/math/so3.hpp"
#include "panto/model/human.hpp"
#include "panto/synthesis/segments.hpp"

namespace panto {
namespace {

using enum HumanSegment::Index;

constexpr double kDegree = std::numbers::pi / 180.0;

class Limbs : public ::testing::Test {
 protected:
  const Model model_ = human66();
  State state_ = rest_state(model_);
  SegmentSample sample_ = segment_sample(model_, state_);
  const std::vector<std::string> names_{kHumanSegmentNames.begin(), kHumanSegmentNames.end()};
  const TrackedPair forearm_{RightForeArm, model_.link_index("RightForeArm")};
  const TrackedPair head_{Head, model_.link_index("Head")};

  void turn(const Eigen::Vector3d& degrees) {
    sample_.segments[RightForeArm].R_WS =
        segment_sample(model_, state_).segments[RightForeArm].R_WS * so3::exp(kDegree * degrees);
  }
};

// a right arm lies along -y of its segment: a turn about y is a roll
TEST_F(Limbs, DoNotMindARollAndSeeEveryOtherTurn) {
  LimbDirections limbs(model_, {forearm_, head_}, names_);
  turn({0.0, 40.0, 0.0});
  limbs.add(sample_, state_);
  ASSERT_EQ(limbs.report().size(), 1U) << "a head has no direction";
  EXPECT_EQ(limbs.report().front().segment, "RightForeArm");
  EXPECT_LT(*limbs.report().front().max_deg, 1e-6);
  turn({0.0, 0.0, 25.0});
  limbs.add(sample_, state_);
  turn({10.0, 0.0, 0.0});
  limbs.add(sample_, state_);
  EXPECT_NEAR(*limbs.report().front().median_deg, 10.0, 1e-9);
  EXPECT_NEAR(*limbs.report().front().max_deg, 25.0, 1e-9);
}

TEST_F(Limbs, AreJudgedInTheLinksOwnAxes) {
  TrackedPair turned = forearm_;
  turned.R_SF = so3::about_axis(0, 0.7);
  LimbDirections limbs(model_, {turned}, names_);
  sample_.segments[RightForeArm].R_WS =
      segment_sample(model_, state_).segments[RightForeArm].R_WS * turned.R_SF.transpose();
  limbs.add(sample_, state_);
  EXPECT_LT(*limbs.report().front().max_deg, 1e-6);
}

TEST_F(Limbs, LeaveOutWhatIsNotMeasured) {
  LimbDirections limbs(model_, {forearm_}, names_);
  SegmentSample missing = sample_;
  missing.segments[RightForeArm].has_orientation = false;
  limbs.add(missing, state_);
  State broken = state_;
  broken.s[0] = std::numeric_limits<double>::quiet_NaN();
  limbs.add(sample_, broken);
  EXPECT_FALSE(limbs.report().front().median_deg);
}

}  // namespace
}  // namespace panto
