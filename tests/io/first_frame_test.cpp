#include "panto/io/first_frame.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "panto/math/so3.hpp"
#include "tests/support/synthetic_skeleton.hpp"

namespace panto::io {
namespace {

using Eigen::Vector3d;

class FirstFrame : public ::testing::Test {
 protected:
  SubjectDimensions subject = scaled_subject(1.7);
  Model model = human66(subject);
  std::vector<State> walk = test::synthetic_motion("walk", model, 1.0, 60.0).truth;
  test::SyntheticSkeleton skeleton =
      test::synthetic_skeleton(model, walk, test::identities(), rest_state(model), subject);
  SkeletonPose rest = skeleton.clip.rest;

  void SetUp() override {
    // far from the origin, as recordings are
    for (SkeletonPose& pose : skeleton.clip.frames) {
      for (Vector3d& p : pose.p_FJ) p += Vector3d(0.0, 0.0, 150.0);
    }
  }

  bool is_rest_pose(const SkeletonPose& first, const SkeletonPose& second) const {
    return exporters_rest_pose(skeleton.clip, skeleton.map, first, second, &skeleton.clip.frames[1])
        .has_value();
  }

  static SkeletonPose moved(SkeletonPose pose, const Vector3d& by) {
    for (Vector3d& p : pose.p_FJ) p += by;
    return pose;
  }

  SkeletonPose posed(const char* joint, double angle) const {
    State state = rest_state(model);
    for (int i = 0; i < model.dof(); ++i) {
      const std::string& name = model.joint_names()[at(i)];
      if (name == "jRight" + std::string(joint)) state.s[i] = angle;
      if (name == "jLeft" + std::string(joint)) state.s[i] = -angle;
    }
    Kinematics kinematics(model);
    return test::skeleton_pose(model, kinematics, state, skeleton.map, skeleton.R_SJ);
  }
};

TEST_F(FirstFrame, IsTheExportersWhereTheMotionDoesNotGoOnFromIt) {
  EXPECT_TRUE(is_rest_pose(moved(rest, Vector3d(3, 0, 7)), skeleton.clip.frames[0]));
  EXPECT_TRUE(is_rest_pose(posed("Shoulder_rotx", 0.5), skeleton.clip.frames[0])) << "an A-pose";
  EXPECT_TRUE(is_rest_pose(posed("Shoulder_rotx", 1.5), skeleton.clip.frames[0]))
      << "hanging arms, but 1.5 m from where the motion begins";
}

TEST_F(FirstFrame, IsMotionWhereTheMotionGoesOnFromIt) {
  EXPECT_FALSE(is_rest_pose(skeleton.clip.frames[0], skeleton.clip.frames[1]));
  EXPECT_FALSE(is_rest_pose(moved(rest, Vector3d(3, 0, 7)), moved(rest, Vector3d(3, 0, 8))));
  EXPECT_FALSE(is_rest_pose(posed("Shoulder_rotx", 0.5), posed("Shoulder_rotx", 0.52)));
  // arms that hang are how people begin; a joint that turns fast is no proof
  const SkeletonPose here = moved(posed("Shoulder_rotx", 1.5), Vector3d(0, 100.0 * walk[0].p_WB.z(), 150));
  EXPECT_FALSE(is_rest_pose(here, skeleton.clip.frames[0]));
}

TEST_F(FirstFrame, ATposeExactlyOverTheOriginIsNobodysMotion) {
  EXPECT_TRUE(is_rest_pose(rest, moved(rest, Vector3d(0, 0, 0.1))));
}

TEST(Cuts, AreJumpsThatNoBodyMakes) {
  std::vector<Vector3d> path;
  for (int k = 0; k < 200; ++k) path.emplace_back(0.05 * k, 0.1 * std::sin(0.1 * k), 1.0);
  EXPECT_TRUE(find_cuts(path, 60.0).empty());
  for (std::size_t k = 120; k < path.size(); ++k) path[k] += Vector3d(3.0, 0.0, 0.0);
  EXPECT_EQ(find_cuts(path, 60.0), (std::vector<std::int64_t>{120}));
  // there and back: two cuts
  for (std::size_t k = 150; k < path.size(); ++k) path[k] -= Vector3d(3.0, 0.0, 0.0);
  EXPECT_EQ(find_cuts(path, 60.0), (std::vector<std::int64_t>{120, 150}));
  // the same path at one frame a second is a walk
  EXPECT_TRUE(find_cuts(path, 1.0).empty());
}

TEST(Cuts, AreNotWhatGoesOnAtThatSpeed) {
  std::vector<Vector3d> ride;
  for (int k = 0; k < 100; ++k) ride.emplace_back(0.01 * k * k, 0.0, 1.0);  // a car: up to 2 m a frame
  EXPECT_TRUE(find_cuts(ride, 30.0).empty());
}

}  // namespace
}  // namespace panto::io
