#include "panto/evaluation/floor_depth.hpp"

#include <gtest/gtest.h>

#include "panto/model/human.hpp"

namespace panto {
namespace {

using Eigen::Vector3d;

TEST(FloorDepth, FindsTheDeepestPartItsMomentAndTheShareOfFrames) {
  const Model model = human66();
  const int pelvis = model.link_index("Pelvis");
  // a ball of 0.1 m at the pelvis, and a bar of 0.02 m that hangs 0.3 m below it
  FloorDepth depth({{"trunk", {pelvis, Vector3d::Zero()}, {pelvis, Vector3d::Zero()}, 0.1},
                    {"left forearm", {pelvis, Vector3d::Zero()}, {pelvis, Vector3d(0.0, 0.0, -0.3)}, 0.02}},
                   0.05);
  Kinematics kinematics(model);
  State state = rest_state(model);
  // the bar's end is above the floor (0.05 m), 5 mm and 30 mm under it
  const double heights[] = {0.6, 0.365, 0.34, 0.6};
  for (int k = 0; k < 4; ++k) {
    state.p_WB = Vector3d(0.0, 0.0, heights[k]);
    kinematics.update(state);
    depth.add(from_seconds(0.1 * k), kinematics);
  }
  const FloorFigures figures = depth.report();
  EXPECT_NEAR(*figures.body_under_10mm_share, 0.25, 1e-12) << "5 mm are within what an eye forgives";
  EXPECT_NEAR(*figures.body_under_max_mm, 30.0, 1e-6);
  EXPECT_NEAR(*figures.body_under_max_at_s, 0.2, 1e-9);
  EXPECT_EQ(figures.body_under_max_part, "left forearm");
  EXPECT_EQ(*figures.body_floating_longest_s, 0.0) << "one frame has no length";
}

TEST(FloorDepth, ABodyThatFloatsIsNotAJump) {
  const Model model = human66();
  const int pelvis = model.link_index("Pelvis");
  FloorDepth depth({{"trunk", {pelvis, Vector3d::Zero()}, {pelvis, Vector3d::Zero()}, 0.1}});
  Kinematics kinematics(model);
  State state = rest_state(model);
  for (int k = 0; k < 50; ++k) {  // 20 mm over the floor, then 200 mm for 2 s, then down again
    state.p_WB = Vector3d(0.0, 0.0, k >= 10 && k <= 30 ? 0.3 : 0.12);
    kinematics.update(state);
    depth.add(from_seconds(0.1 * k), kinematics);
  }
  EXPECT_NEAR(*depth.report().body_floating_longest_s, 2.0, 1e-9);
  EXPECT_NEAR(*depth.report().body_floating_longest_at_s, 1.0, 1e-9);
}

TEST(FloorDepth, ABodyAboveTheFloorIsNotUnderIt) {
  const Model model = human66();
  const int pelvis = model.link_index("Pelvis");
  FloorDepth depth({{"trunk", {pelvis, Vector3d::Zero()}, {pelvis, Vector3d::Zero()}, 0.1}});
  Kinematics kinematics(model);
  State state = rest_state(model);
  state.p_WB = Vector3d(0.0, 0.0, 1.0);
  kinematics.update(state);
  depth.add(0, kinematics);
  EXPECT_EQ(*depth.report().body_under_max_mm, 0.0);
  EXPECT_EQ(depth.report().body_under_max_part, "");
  EXPECT_FALSE(FloorDepth({}).report().body_under_max_mm) << "nothing is known without parts";
}

}  // namespace
}  // namespace panto
