#include "panto/evaluation/following.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "panto/math/so3.hpp"
#include "panto/model/human.hpp"
#include "panto/synthesis/segments.hpp"

namespace panto {
namespace {

using enum HumanSegment::Index;

using Eigen::Vector3d;

constexpr double kDegree = 3.14159265358979323846 / 180.0;

class Following : public ::testing::Test {
 protected:
  const Model model_ = human66();
  State state_ = rest_state(model_);
  SegmentSample sample_ = segment_sample(model_, state_);

  FollowedLink forearm(const Vector3d& follows) const {
    return {{RightForeArm, model_.link_index("RightForeArm")}, follows};
  }
  // the target turned by this much about the segment's own axes
  void turn(const Vector3d& degrees) {
    sample_.segments[RightForeArm].R_WS =
        segment_sample(model_, state_).segments[RightForeArm].R_WS * so3::exp(kDegree * degrees);
  }
};

TEST_F(Following, CountsOnlyTheTurnsThatTheLinkCanMake) {
  FollowingBuilder all(model_, {forearm(Vector3d::Ones())}, 0),
      some(model_, {forearm(Vector3d(0.1, 1.0, 0.9))}, 0);
  turn({30.0, 0.0, 0.0});
  all.add(sample_, state_);
  some.add(sample_, state_);
  EXPECT_NEAR(*all.report().followable_max_deg, 30.0, 1e-9);
  EXPECT_NEAR(*some.report().followable_max_deg, 0.0, 1e-9);
  turn({0.0, 20.0, 0.0});
  sample_.t += 10'000'000;
  some.add(sample_, state_);
  EXPECT_NEAR(*some.report().followable_max_deg, 20.0, 1e-9);
  EXPECT_NEAR(*some.report().followable_mean_deg, 10.0, 1e-9);
  EXPECT_EQ(some.report().worst_link, "RightForeArm");
}

TEST_F(Following, SaysHowLongALinkWasCollapsedWithoutABreak) {
  FollowingBuilder following(model_, {forearm(Vector3d::Ones())}, 0),
      partial(model_, {forearm(Vector3d(0.1, 1.0, 1.0))}, 0);
  // 0.3 s at 100 deg, one frame at 80 deg, 0.2 s at 100 deg
  for (int k = 0; k <= 51; ++k) {
    turn({0.0, 0.0, k == 31 ? 80.0 : 100.0});
    sample_.t = k * 10'000'000;
    following.add(sample_, state_);
    partial.add(sample_, state_);
  }
  EXPECT_NEAR(following.report().collapsed_longest_s, 0.3, 1e-12);
  EXPECT_EQ(following.report().collapsed_link, "RightForeArm");
  EXPECT_EQ(partial.report().collapsed_longest_s, 0.0) << "it could not follow in every direction";
}

TEST_F(Following, LeavesOutSettlingFramesUnmeasuredSegmentsAndInvalidStates) {
  FollowingBuilder following(model_, {forearm(Vector3d::Ones())}, 100'000'000);
  turn({50.0, 0.0, 0.0});
  following.add(sample_, state_);
  EXPECT_NEAR(*following.report().followable_mean_deg, 50.0, 1e-9) << "a short clip counts whole";
  turn({5.0, 0.0, 0.0});
  sample_.t = 200'000'000;
  following.add(sample_, state_);
  sample_.t = 210'000'000;
  sample_.segments[RightForeArm].has_orientation = false;
  following.add(sample_, state_);
  State broken = state_;
  broken.s[0] = std::numeric_limits<double>::quiet_NaN();
  sample_.segments[RightForeArm].has_orientation = true;
  following.add(sample_, broken);
  EXPECT_NEAR(*following.report().followable_mean_deg, 5.0, 1e-9);
  EXPECT_THROW(FollowingBuilder(model_, {{{0, 9999}, Vector3d::Ones()}}, 0), ConfigError);
}

}  // namespace
}  // namespace panto
