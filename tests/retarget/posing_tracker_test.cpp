#include "panto/retarget/posing_tracker.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "panto/base/error.hpp"
#include "panto/base/index.hpp"
#include "panto/math/so3.hpp"
#include "panto/model/kinematics.hpp"
#include "panto/rig/character.hpp"
#include "panto/rig/joint_match.hpp"
#include "tests/support/random_model.hpp"
#include "tests/support/synthetic_skeleton.hpp"

namespace panto {
namespace {

using enum HumanSegment::Index;

using Eigen::Matrix3d;
using Eigen::Vector3d;

// A person of 1.8 m who walks, as a skeleton whose joints are turned at random, understood exactly.
class Posing : public ::testing::Test {
 protected:
  void SetUp() override {
    test::Random random(7);
    test::SegmentRotations R_SJ;
    for (Matrix3d& R : R_SJ) R = test::random_rotation(random);
    skeleton = test::synthetic_skeleton(model, walk, R_SJ, rest_state(model), subject);
    rig.map = skeleton.map;
    rig.rest = rig::RestPose::T;
    rig.subject = subject;
    for (std::size_t i = 0; i < kHumanSegmentCount; ++i) {
      rig.offsets[i].valid = true;
      rig.offsets[i].R_JS = R_SJ[i].transpose();
    }
  }

  [[nodiscard]] rig::CharacterModel character() const {
    return rig::make_character(skeleton.clip, rig, std::vector<bool>(skeleton.clip.joints.size(), true));
  }

  // links that follow the segments of a sample with all of them
  [[nodiscard]] static std::vector<PosedLink> links_of(const rig::Character& own) {
    std::vector<PosedLink> links(own.parent.size());
    for (std::size_t j = 0; j < own.link.size(); ++j) {
      PosedLink& link = links[at(own.link[j])];
      link.parent = own.parent[at(own.link[j])];
      link.order = own.order[at(own.link[j])];
      link.first_dof = own.first_dof[at(own.link[j])];
      link.R_rest = own.R_rest[at(own.link[j])];
      link.entry = own.segment[j];
    }
    return links;
  }

  [[nodiscard]] SegmentSample sample_of(const State& truth) {
    SegmentSample sample;
    sample.t = truth.t;
    kinematics.update(truth);
    for (const std::string& name : human_segment_names()) {
      SegmentMotion& segment = sample.segments.emplace_back();
      const int link = model.link_index(name);
      segment.R_WS = kinematics.R_WL(link);
      segment.p_WS = kinematics.p_WL(link);
      segment.has_orientation = segment.has_position = true;
    }
    return sample;
  }

  SubjectDimensions subject = scaled_subject(1.8);
  Model model = human66(subject);
  std::vector<State> walk = test::synthetic_motion("walk", model, 1.0, 60.0).truth;
  Kinematics kinematics{model};
  test::SyntheticSkeleton skeleton;
  rig::Rig rig;
};

TEST_F(Posing, ACharacterAtZeroIsThePersonInTheTPoseWithTheFramesOfSegments) {
  const rig::CharacterModel made = character();
  EXPECT_EQ(made.model.dof(), 66) << "22 joints of three";
  Kinematics own(made.model);
  own.update(rest_state(made.model));
  kinematics.update(rest_state(model));
  for (std::size_t i = 0; i < kHumanSegmentCount; ++i) {
    const int link = made.character.link[i], theirs = model.link_index(kHumanSegmentNames[i]);
    EXPECT_LT((own.R_WL(link) - Matrix3d::Identity()).norm(), 1e-12) << kHumanSegmentNames[i];
    const Vector3d way = kinematics.p_WL(theirs) - kinematics.p_WL(model.root_link());
    EXPECT_LT((own.p_WL(link) - own.p_WL(0) - way).norm(), 1e-12) << kHumanSegmentNames[i];
  }
  for (const auto& [joint, angle] : made.rest) EXPECT_NEAR(angle, 0.0, 1e-12) << joint;
}

TEST_F(Posing, EveryLinkTakesItsSegmentsOrientationToRoundingAndThePersonsPlacesFollow) {
  const rig::CharacterModel made = character();
  PosingTracker tracker(links_of(made.character), Pelvis, nullptr, made.model);
  Kinematics own(made.model);
  State state = rest_state(made.model);
  for (const State& truth : walk) {
    const SegmentSample sample = sample_of(truth);
    ASSERT_EQ(tracker.step(sample, state), StepStatus::Solved);
    own.update(state);
    for (std::size_t i = 0; i < kHumanSegmentCount; ++i) {
      const int link = made.character.link[i];
      EXPECT_LT((own.R_WL(link) - sample.segments[i].R_WS).norm(), 1e-12) << kHumanSegmentNames[i];
      EXPECT_LT((own.p_WL(link) - sample.segments[i].p_WS).norm(), 1e-9) << "the same lengths";
    }
  }
}

TEST_F(Posing, WhatIsNotMeasuredStaysAndBadSamplesLeaveTheState) {
  const rig::CharacterModel made = character();
  PosingTracker tracker(links_of(made.character), Pelvis, nullptr, made.model);
  State state = rest_state(made.model);
  ASSERT_EQ(tracker.step(sample_of(walk[0]), state), StepStatus::Solved);
  const State before = state;
  EXPECT_EQ(tracker.step(sample_of(walk[0]), state), StepStatus::TimeNotAdvancing);
  SegmentSample bad = sample_of(walk[1]);
  bad.segments[LeftHand].R_WS(0, 0) = std::nan("");
  EXPECT_EQ(tracker.step(bad, state), StepStatus::TargetNotFinite);
  SegmentSample none = sample_of(walk[1]);
  none.segments[Pelvis].has_orientation = false;
  EXPECT_EQ(tracker.step(none, state), StepStatus::NoTarget);
  EXPECT_EQ(state.s, before.s);
  SegmentSample part = sample_of(walk[5]);
  part.segments[LeftForeArm].has_orientation = part.segments[LeftHand].has_orientation = false;
  ASSERT_EQ(tracker.step(part, state), StepStatus::Solved);
  const int elbow = made.character.first_dof[at(made.character.link[LeftForeArm])];
  EXPECT_EQ(state.s.segment<3>(elbow), before.s.segment<3>(elbow));
}

TEST_F(Posing, AJointBetweenTwoSegmentsTakesItsShareOfTheTurn) {
  const rig::CharacterModel made = character();
  std::vector<PosedLink> links = links_of(made.character);
  const int neck = made.character.link[Neck], chest = made.character.link[T8];
  links[at(neck)].entry = -1;
  links[at(neck)].lower = chest;
  links[at(neck)].upper_entry = Head;
  links[at(neck)].share = 0.25;
  PosingTracker tracker(links, Pelvis, nullptr, made.model);
  State state = rest_state(made.model);
  SegmentSample sample = sample_of(rest_state(model));
  sample.segments[Head].R_WS = so3::about_axis(2, 0.8);
  ASSERT_EQ(tracker.step(sample, state), StepStatus::Solved);
  Kinematics own(made.model);
  own.update(state);
  EXPECT_LT((own.R_WL(neck) - so3::about_axis(2, 0.2)).norm(), 1e-12);
  EXPECT_LT((own.R_WL(made.character.link[Head]) - so3::about_axis(2, 0.8)).norm(), 1e-12);
}

TEST_F(Posing, NamesThatRepeatBecomeLinksOfTheirOwn) {
  for (SkeletonJoint& joint : skeleton.clip.joints) joint.name = "bone";
  const rig::CharacterModel made = character();
  EXPECT_EQ(made.model.dof(), 66);
}

TEST_F(Posing, WithoutAJointThatCarriesTheBodyThereIsNoCharacter) {
  skeleton.clip.joints[RightUpperLeg].parent = -1;  // a second root
  EXPECT_THROW((void)character(), FormatError);
}

TEST_F(Posing, SkeletonsOfTheSameJointsAndBonesHaveTheSameAxesWhateverTheirLengths) {
  test::SyntheticSkeleton longer = skeleton;
  for (Vector3d& p : longer.clip.rest.p_FJ) p *= 1.3;
  EXPECT_TRUE(rig::same_axes(skeleton.clip, rig, longer.clip, rig));
  longer.clip.rest.p_FJ[LeftForeArm] += Vector3d(0.0, 10.0, 0.0);  // [cm] a bone that points elsewhere
  EXPECT_FALSE(rig::same_axes(skeleton.clip, rig, longer.clip, rig));
}

// Adds a finger to the left hand; lengths [cm].
void add_finger(SkeletonClip& clip, const std::vector<std::string>& names,
                const std::vector<double>& lengths) {
  int parent = LeftHand;
  Vector3d place = clip.rest.p_FJ[LeftHand];
  for (std::size_t i = 0; i < names.size(); ++i) {
    place += Vector3d(lengths[i], 0.0, 0.0);
    clip.joints.push_back({names[i], parent, {}});
    clip.rest.R_FJ.push_back(clip.rest.R_FJ[LeftHand]);
    clip.rest.p_FJ.push_back(place);
    parent = static_cast<int>(clip.joints.size()) - 1;
  }
}

TEST_F(Posing, FingersMatchByPlaceWhateverTheirNamesAndABoneInThePalmHasNoLikeInAFinger) {
  SkeletonClip with_palm = skeleton.clip, without = skeleton.clip;
  add_finger(with_palm, {"LeftHandIndex1", "LeftHandIndex2", "LeftHandIndex3", "LeftHandIndexEnd"},
             {2.0, 7.0, 4.0, 2.0});
  add_finger(without, {"L Finger1", "L Finger11", "L Finger12"}, {9.0, 4.0, 2.0});
  without.joints.push_back({"L Finger0", LeftHand, {}});  // 3ds Max counts fingers from the thumb, 0
  without.rest.R_FJ.push_back(without.rest.R_FJ[LeftHand]);
  without.rest.p_FJ.push_back(without.rest.p_FJ[LeftHand] + Vector3d(3.0, 0.0, 3.0));
  const std::vector<rig::JointMatch> matches = rig::match_joints(with_palm, rig, without, rig);
  EXPECT_EQ(matches[kHumanSegmentCount].source, kHumanSegmentCount + 1);
  EXPECT_EQ(matches[kHumanSegmentCount + 1].source, kHumanSegmentCount + 2);
  EXPECT_EQ(matches[kHumanSegmentCount + 2].source, -1) << "an end is no joint of a finger";
  EXPECT_EQ(matches[kHumanSegmentCount + 3].source, -1) << "there is no thumb";
}

}  // namespace
}  // namespace panto
