#include "panto/bridge/ros2_frames.hpp"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <map>
#include <random>

#include "panto/math/so3.hpp"
#include "panto/model/kinematics.hpp"
#include "tests/support/link_model.hpp"

namespace panto::bridge {
namespace {

Eigen::Isometry3d pose_of(const RosTransform& frame) {
  const Eigen::Vector4d& q = frame.wxyz;
  Eigen::Isometry3d pose(Eigen::Quaterniond(q[0], q[1], q[2], q[3]));
  pose.pretranslate(frame.p_PC);
  return pose;
}

// A chain that also slides, with a fixed link at a slant.
Model mixed_model() {
  ModelSpec spec = test::chain_model(4).spec();
  spec.joints[1].type = JointType::Prismatic;
  spec.joints[1].R_PJ = so3::exp(Eigen::Vector3d(0.3, -0.2, 0.5));
  spec.joints[2].type = JointType::Fixed;
  spec.joints[2].R_PJ = so3::exp(Eigen::Vector3d(0.0, 1.0, 0.0));
  spec.joints[3].R_PJ = so3::exp(Eigen::Vector3d(-1.0, 0.4, 0.1));
  return Model(std::move(spec));
}

TEST(Ros2Frames, LinksChainedFromTheWorldStandWhereKinematicsPutsThem) {
  const Model model = mixed_model();
  Kinematics kinematics(model);
  std::vector<RosTransform> frames = link_frames(model);
  ASSERT_EQ(frames.size(), 5u) << "one for each link";
  std::mt19937 random(7);
  std::uniform_real_distribution<double> number(-1.0, 1.0);
  const auto vector = [&] { return Eigen::Vector3d(number(random), number(random), number(random)); };
  for (int k = 0; k < 50; ++k) {
    State state = rest_state(model);
    state.p_WB = vector();
    state.R_WB = so3::exp(2.0 * vector());
    for (double& angle : state.s) angle = number(random);
    place_links(model, state, frames);
    kinematics.update(state);
    std::map<std::string, Eigen::Isometry3d> poses{{"world", Eigen::Isometry3d::Identity()}};
    for (const RosTransform& frame : frames) {
      ASSERT_TRUE(poses.count(frame.parent)) << "a parent comes before its children in this chain";
      poses[frame.child] = poses[frame.parent] * pose_of(frame);
    }
    for (int link = 0; link < model.link_count(); ++link) {
      const Eigen::Isometry3d& found = poses.at(model.link_names()[static_cast<std::size_t>(link)]);
      // a few roundings of numbers near 1 in each of five steps
      EXPECT_LT((found.translation() - kinematics.p_WL(link)).norm(), 1e-14);
      EXPECT_LT((found.linear() - kinematics.R_WL(link)).norm(), 1e-14);
    }
  }
}

TEST(Ros2Frames, EveryFrameHasOneParentAndTheRootIsInTheWorld) {
  const Model model = test::chain_model(3);
  const std::vector<RosTransform> frames = link_frames(model);
  EXPECT_EQ(frames[0].parent, "world");
  EXPECT_EQ(frames[0].child, "base");
  std::map<std::string, int> parents;
  for (const RosTransform& frame : frames) ++parents[frame.child];
  EXPECT_EQ(parents.size(), 4u);
  for (const auto& [child, count] : parents) EXPECT_EQ(count, 1) << child;
}

TEST(Ros2Frames, SegmentsWithoutAPositionAreLeftOutAndThoseWithoutAnOrientationStandUpright) {
  SegmentSample person;
  person.segments.resize(3);
  person.segments[1].has_position = person.segments[2].has_position = true;
  person.segments[1].p_WS = {1.0, 2.0, 3.0};
  person.segments[2].has_orientation = true;
  person.segments[2].R_WS = so3::exp(Eigen::Vector3d(0.0, 0.0, 1.0));
  std::vector<RosTransform> frames;
  for (int k = 0; k < 2; ++k) {  // the second time into what the first one left
    place_person({"Pelvis", "L5", "L3"}, person, frames);
    ASSERT_EQ(frames.size(), 2u);
    EXPECT_EQ(frames[0].parent, "world");
    EXPECT_EQ(frames[0].child, "person/L5");
    EXPECT_EQ(frames[0].p_PC, Eigen::Vector3d(1.0, 2.0, 3.0));
    EXPECT_EQ(frames[0].wxyz, Eigen::Vector4d(1.0, 0.0, 0.0, 0.0));
    EXPECT_EQ(frames[1].child, "person/L3");
    EXPECT_NEAR(frames[1].wxyz[3], std::sin(0.5), 1e-15) << "half the angle about z";
  }
  person.segments[2].has_position = false;
  place_person({"Pelvis", "L5", "L3"}, person, frames);
  EXPECT_EQ(frames.size(), 1u) << "a segment that is lost is not sent as it was";
}

}  // namespace
}  // namespace panto::bridge
