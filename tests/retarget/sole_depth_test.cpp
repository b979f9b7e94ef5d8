#include "panto/retarget/sole_depth.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "tests/support/refusals.hpp"
#include "tests/support/shown_person.hpp"

namespace panto {
namespace {

// A robot in the T-pose, whose left sole has one corner 10 cm under its ankle.
struct SoleScene {
  SoleScene() {
    ModelSpec spec = human48(subject).spec();
    for (Link& link : spec.links)
      if (link.name == "LeftFoot") link.corners = {{0.0, 0.0, -0.1}};
    robot = Model(std::move(spec));
    Kinematics kinematics(robot);
    kinematics.update(rest_state(robot));
    ankle = kinematics.p_WL(robot.link_index("LeftFoot")).z();
  }
  // the robot in frame k at 100 Hz, its left sole this deep under the floor [m]
  [[nodiscard]] State state(int k, double depth) const {
    State state = rest_state(robot);
    state.t = frame_time(k, 100.0);
    state.p_WB.z() = 0.1 - ankle - depth;
    return state;
  }
  [[nodiscard]] SoleDepth depth(const std::vector<int>& sides) const {
    return {robot, robot::Skeleton(robot, test::human_map(), subject, human_segment_names()), sides};
  }

  SubjectDimensions subject = scaled_subject(1.75);
  Model robot = human48(subject);
  double ankle = 0.0;  // above the base's origin, in the rest pose [m]
};

TEST(SoleDepth, TheBaseRisesByWhatTheLowestCornerIsDeeperThanFiveMillimetres) {
  const SoleScene scene;
  SoleDepth depth = scene.depth({1});
  ASSERT_TRUE(depth.any());
  for (int k = 0; k < 200; ++k) depth.add(scene.state(k, k == 100 ? 0.035 : -0.2), false);
  const std::vector<double> lift = depth.lift();
  ASSERT_EQ(lift.size(), 200U);
  EXPECT_NEAR(lift[100], 0.03, 1e-12);
  EXPECT_GT(lift[90], 0.005) << "smoothly: it rises before";
  EXPECT_EQ(lift[40], 0.0) << "but not 0.6 s before, nor where no sole is deep";
  for (std::size_t k = 0; k < 100; ++k) EXPECT_NEAR(lift[100 - k], lift[100 + k], 1e-12) << k;
}

TEST(SoleDepth, NothingRisesAcrossACut) {
  const SoleScene scene;
  SoleDepth depth = scene.depth({1});
  for (int k = 0; k < 40; ++k) depth.add(scene.state(k, k < 20 ? 0.055 : -0.2), k == 20);
  const std::vector<double> lift = depth.lift();
  for (std::size_t k = 0; k < 20; ++k) EXPECT_NEAR(lift[k], 0.05, 1e-12) << k;
  for (std::size_t k = 20; k < 40; ++k) EXPECT_EQ(lift[k], 0.0) << k;
}

TEST(SoleDepth, WithoutFeetNothingIsDeepAndWithoutFramesNothingIsRaised) {
  const SoleScene scene;
  SoleDepth none = scene.depth({});
  EXPECT_FALSE(none.any());
  none.add(scene.state(0, 0.5), false);
  EXPECT_EQ(none.lift(), (std::vector<double>{0.0}));
  const SoleDepth empty = scene.depth({0, 1});
  EXPECT_TRUE(empty.any() && empty.lift().empty());
  SoleDepth still = scene.depth({1});
  still.add(scene.state(3, 0.0), false);
  still.add(scene.state(3, 0.0), false);
  EXPECT_THROW((void)still.lift(), ConfigError) << "stamps that do not increase";
}

TEST(SoleDepth, APoseThatIsNotANumberIsUnknownAndRaisesNothing) {
  const SoleScene scene;
  SoleDepth depth = scene.depth({1});
  for (int k = 0; k < 20; ++k) {
    State state = scene.state(k, 0.025);
    if (k == 10) state.p_WB.z() = std::numeric_limits<double>::quiet_NaN();
    depth.add(state, false);
  }
  for (const double lift : depth.lift()) EXPECT_NEAR(lift, 0.02, 1e-12);
}

TEST(SoleDepth, TheNoteRoundsUpAndIsSilentWhereNothingRises) {
  EXPECT_EQ(raised_note({}), "");
  EXPECT_EQ(raised_note({0.0, 0.0}), "");
  EXPECT_TRUE(test::names(raised_note({0.0, 0.01231, 0.002}), " 12.4 mm ")) << "a bound in tenths";
}

}  // namespace
}  // namespace panto
