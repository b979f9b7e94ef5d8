#include "panto/api/character.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <limits>
#include <sstream>
#include <string>

#include "panto/base/index.hpp"
#include "panto/io/bvh_character.hpp"
#include "panto/math/so3.hpp"
#include "panto/model/kinematics.hpp"
#include "panto/recording/joint_motion.hpp"
#include "panto/retarget/robot_clip.hpp"
#include "tests/support/bundled_walk.hpp"
#include "tests/support/shown_person.hpp"

namespace panto {
namespace {

using enum HumanSegment::Index;

// The bundled walker with a tail on the pelvis, which no segment moves.
std::string tailed_walker() {
  std::ifstream file(PANTO_EXAMPLES "/data/walk.bvh");
  std::string text{std::istreambuf_iterator<char>(file), {}}, line;
  const std::size_t motion = text.find("MOTION");
  const std::string tail =
      "JOINT Tail\n{\nOFFSET -10 0 0\nCHANNELS 3 Yrotation Xrotation Zrotation\n"
      "End Site\n{\nOFFSET -20 0 0\n}\n}\n";
  std::string result = text.substr(0, text.rfind('}', motion)) + tail + "}\n";
  std::istringstream lines(text.substr(motion));
  for (int k = 0; std::getline(lines, line); ++k) result += line + (k > 2 ? " 0 0 0\n" : "\n");
  return result;
}

// A recorded skeleton at rest, but for one joint that is turned.
class TurnedJoint final : public JointMotion {
 public:
  TurnedJoint(SkeletonClip clip, int joint, const Eigen::Matrix3d& turn) : clip_(std::move(clip)) {
    turned_ = clip_.rest;
    turned_.R_FJ[at(joint)] = turned_.R_FJ[at(joint)] * turn;
  }
  [[nodiscard]] const SkeletonClip& skeleton() const noexcept override { return clip_; }
  [[nodiscard]] bool pose(Time, SkeletonPose& pose) const override {
    pose = turned_;
    return true;
  }

 private:
  SkeletonClip clip_;
  SkeletonPose turned_;
};

// A character, and a person in the T-pose whose samples may be edited.
struct CharacterScene {
  io::OpenedCharacter opened = io::open_bvh_character(io::read_bvh(tailed_walker(), "tailed.bvh"));
  Robot robot = robot_of(opened);
  test::ShownPerson person = test::shown_person("tpose", 0.1);
  RobotClip clip;
  State state = rest_state(robot.model);

  // Poses the first sample.
  StepStatus pose() {
    person.rewind();
    clip = make_robot_clip(person, robot.model, robot.map, *person.about.subject, FeetMode::Off, true);
    const auto posing = posing_of(robot, person.about, *clip.recording);
    SegmentSample sample;
    return clip.recording->read(sample) == ReadStatus::Sample ? posing->step(sample, state)
                                                              : StepStatus::NoTarget;
  }
  [[nodiscard]] Eigen::Matrix3d link_turn(const std::string& link) const {
    Kinematics kinematics(robot.model);
    kinematics.update(state);
    return kinematics.R_WL(robot.model.link_index(link));
  }
};

TEST(Character, IsARobotWhoseLinksFollowItsSegmentsAndWhoseSolesArePlain) {
  CharacterScene scene;
  EXPECT_EQ(scene.robot.map.attachments.attachments.size(), 23U) << "and not the tail";
  EXPECT_EQ(scene.robot.reasons.size(), 23U);
  for (const Attachment& a : scene.robot.map.attachments.attachments)
    EXPECT_EQ(a.position, a.segment == "Pelvis") << a.segment;
  ASSERT_TRUE(scene.robot.map.soles[0] && scene.robot.map.soles[1]);
  const SubjectDimensions& subject = scene.opened.character.character.rig.subject;
  EXPECT_EQ(scene.robot.map.soles[0]->down, -subject.origin[RightToe].z()) << "as deep as the toes' root";
  EXPECT_EQ(scene.robot.map.soles[0]->ahead->back(), subject.origin[RightToe].x());
  scene.opened.character.character.rig.subject.origin[RightToe].x() = 0.0;
  const Robot stump = robot_of(scene.opened);
  EXPECT_FALSE(stump.map.soles[0].has_value()) << "a foot without toes says nothing of its sole";
  EXPECT_TRUE(stump.map.soles[1].has_value());
}

TEST(Character, IsPosedLikeThePersonToRoundingLinkByLink) {
  const auto walk = test::bundled_walk();
  const Robot robot = CharacterScene().robot;
  const RobotClip clip =
      make_robot_clip(*walk, robot.model, robot.map, *walk->info().subject, FeetMode::Off, true);
  const auto posing = posing_of(robot, walk->info(), *clip.recording);
  SegmentSample sample;
  State state = rest_state(robot.model);
  Kinematics kinematics(robot.model);
  int frames = 0;
  for (; clip.recording->read(sample) == ReadStatus::Sample; ++frames) {
    ASSERT_EQ(posing->step(sample, state), StepStatus::Solved);
    kinematics.update(state);
    for (std::size_t i = 0; i < sample.segments.size(); ++i) {
      const int link = clip.recording->skeleton().link_of(find_human_segment(clip.recording->names()[i]));
      EXPECT_LT(so3::distance(kinematics.R_WL(link), sample.segments[i].R_WS), 1e-9) << i;
    }
  }
  EXPECT_EQ(frames, 150);
}

TEST(Character, JointsOfTheTrunkThatThePersonLacksShareTheTurn) {
  CharacterScene scene;
  std::erase_if(scene.person.about.attachments.attachments, [](const Attachment& a) {
    return a.link == "L3" || a.link == "T12" || a.link == "LeftForeArm";
  });
  scene.person.samples[0].segments[T8].R_WS = so3::about_axis(2, 0.9);
  ASSERT_EQ(scene.pose(), StepStatus::Solved);
  // L5 stands still, T8 is turned by 0.9 rad: two joints between them, thirds of the turn
  EXPECT_LT(so3::distance(scene.link_turn("Chest2"), so3::about_axis(2, 0.3)), 1e-9);
  EXPECT_LT(so3::distance(scene.link_turn("Chest3"), so3::about_axis(2, 0.6)), 1e-9);
  EXPECT_LT(so3::distance(scene.link_turn("LeftElbow"), scene.link_turn("LeftShoulder")), 1e-9)
      << "an elbow does not: it stays as at rest";
}

TEST(Character, AJointThatNoSegmentMovesTakesTheRecordedSkeletonsTurn) {
  CharacterScene scene;
  ASSERT_EQ(scene.pose(), StepStatus::Solved);
  const Eigen::Matrix3d tail = scene.link_turn("Tail"), hips = scene.link_turn("Hips");
  const SkeletonClip& skeleton = scene.opened.character.character.skeleton;
  const auto joint = std::find_if(skeleton.joints.begin(), skeleton.joints.end(),
                                  [](const SkeletonJoint& j) { return j.name == "Tail"; });
  scene.person.about.joints = std::make_shared<TurnedJoint>(
      skeleton, static_cast<int>(joint - skeleton.joints.begin()), so3::about_axis(1, 0.4));
  scene.person.about.rig = scene.opened.character.character.rig;
  scene.state = rest_state(scene.robot.model);
  ASSERT_EQ(scene.pose(), StepStatus::Solved);
  EXPECT_NEAR(so3::distance(scene.link_turn("Tail"), tail), 0.4, 1e-9);
  EXPECT_LT(so3::distance(scene.link_turn("Hips"), hips), 1e-12);
}

TEST(Character, WhatIsNotANumberOrNotMeasuredLeavesItAsItWas) {
  for (const bool missing : {false, true}) {
    CharacterScene scene;
    const State before = scene.state;
    SegmentMotion& pelvis = scene.person.samples[0].segments[Pelvis];
    if (missing)
      pelvis.has_orientation = false;
    else
      pelvis.R_WS(0, 0) = std::numeric_limits<double>::quiet_NaN();
    EXPECT_EQ(scene.pose(), missing ? StepStatus::NoTarget : StepStatus::TargetNotFinite);
    EXPECT_EQ(scene.state.s, before.s);
    EXPECT_EQ(scene.state.p_WB, before.p_WB);
  }
}

}  // namespace
}  // namespace panto
