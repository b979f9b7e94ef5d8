// Skeletons built by hand: what the recorded ones (tests/io/rig_map_test.cpp) do not hold.

#include "panto/rig/map.hpp"

#include <gtest/gtest.h>

#include <Eigen/Geometry>

#include "panto/base/index.hpp"
#include "tests/rig/doll.hpp"

namespace panto::rig {
namespace {

using enum HumanSegment::Index;

using Eigen::Vector3d;
using test::decision, test::Part, test::person, test::refusal, test::still_clip;

std::vector<Part> without_toes() {
  std::vector<Part> parts = person();
  parts.erase(parts.begin() + 20);
  parts.erase(parts.begin() + 16);
  parts[16].parent = 0;
  parts[17].parent = 16;
  parts[18].parent = 17;
  return parts;
}

std::vector<Part> nameless(std::vector<Part> parts) {
  for (Part& part : parts) part.name = "joint";
  return parts;
}

TEST(RigMap, UnderstandsOneStillPose) {
  for (const bool named : {true, false}) {
    const SkeletonClip clip = still_clip(named ? person() : nameless(person()));
    const Map map = map_rig(clip);
    EXPECT_EQ(map.segments[Pelvis].joint, 0);
    EXPECT_EQ(map.segments[T8].joint, 2);
    EXPECT_EQ(map.segments[Neck].joint, 3);
    EXPECT_EQ(map.segments[Head].joint, 4);
    EXPECT_EQ(map.segments[LeftUpperArm].joint, 6);
    EXPECT_EQ(map.segments[RightHand].joint, 12);
    EXPECT_EQ(map.segments[LeftUpperLeg].joint, 13);
    EXPECT_EQ(map.segments[RightToe].joint, 20);
    EXPECT_EQ(map.R_WF, Eigen::Matrix3d::Identity());
    EXPECT_EQ(map.unit, 1.0);
    EXPECT_TRUE(map.unmapped.empty());
  }
}

TEST(RigMap, SharesTheTurnsOfAShortSpineAndEvenlyChoosesOfALongOne) {
  std::vector<Part> parts = person();
  parts[1].parent = -1;  // one joint of the spine less: "Spine" becomes a root of its own
  parts[2].parent = 0;
  const Map one = map_rig(still_clip(parts));
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(one.segments[at(L5 + i)].joint, 0);
    EXPECT_EQ(one.segments[at(L5 + i)].next, 2);
    EXPECT_DOUBLE_EQ(one.segments[at(L5 + i)].share, 0.25 * (i + 1));
  }
  EXPECT_EQ(one.segments[T8].joint, 2);
  EXPECT_EQ(one.unmapped, std::vector<int>{1});

  // six joints: the second, third, fifth and last
  parts = person();
  std::vector<Part> tall{parts[0]};
  for (int k = 0; k < 6; ++k) tall.push_back({"Spine", k, {0, 0, 1.0 + 0.05 * k}});
  for (std::size_t i = 3; i < parts.size(); ++i) {
    Part part = parts[i];
    part.parent = part.parent == 0 ? 0 : part.parent + 4;
    tall.push_back(part);
  }
  const Map six = map_rig(still_clip(tall));
  EXPECT_EQ(six.segments[L5].joint, 2);
  EXPECT_EQ(six.segments[L3].joint, 3);
  EXPECT_EQ(six.segments[T12].joint, 5);
  EXPECT_EQ(six.segments[T8].joint, 6);
}

TEST(RigMap, LetsShouldersFollowTheChestWhereThereAreNoCollarBones) {
  std::vector<Part> parts = person();
  parts[6].parent = parts[10].parent = 2;
  const Map map = map_rig(still_clip(parts));
  EXPECT_EQ(map.segments[LeftShoulder].joint, 2);
  EXPECT_EQ(map.segments[RightShoulder].joint, 2);
  EXPECT_EQ(map.segments[LeftShoulder].next, -1);
  EXPECT_EQ(map.segments[LeftUpperArm].joint, 6);
  EXPECT_EQ(map.unmapped, (std::vector<int>{5, 9}));
}

TEST(RigMap, NamesASwap) {
  std::vector<Part> parts = person();
  for (Part& part : parts) part.position.y() = -part.position.y();
  const Map map = map_rig(still_clip(parts));
  EXPECT_TRUE(map.names_swapped);
  EXPECT_EQ(map.segments[LeftHand].joint, 12);
  EXPECT_NE(decision(map, "left and right").reason.find("the names are swapped"), std::string::npos);
}

TEST(RigMap, NamesASwapOfTheLegsAlone) {
  std::vector<Part> parts = person();
  for (int leg = 13; leg <= 16; ++leg) std::swap(parts[at(leg)].name, parts[at(leg + 4)].name);
  const Map map = map_rig(still_clip(parts));
  EXPECT_TRUE(map.names_swapped);
  EXPECT_EQ(map.segments[LeftUpperLeg].joint, 13);
  EXPECT_EQ(map.segments[LeftHand].joint, 8);
  EXPECT_NE(decision(map, "left and right").reason.find("the names of the legs are swapped"),
            std::string::npos);
}

// a frame in which all joints are in one place says nothing; it must not decide the sides
TEST(RigMap, SeesTheSidesThroughBlankFrames) {
  SkeletonClip clip = still_clip(person());
  const SkeletonPose pose = clip.frames[0];
  for (int k = 1; k < 100; ++k) {
    clip.frames.push_back(pose);
    clip.times.push_back(0.01 * k);
    if (k != 50) continue;
    for (Vector3d& p : clip.frames.back().p_FJ) p.setZero();
  }
  const Map map = map_rig(clip);
  EXPECT_FALSE(map.names_swapped);
  EXPECT_EQ(map.segments[LeftUpperLeg].joint, 13);
  const Decision& sides = decision(map, "left and right");
  EXPECT_EQ(sides.answer, "as named");
  EXPECT_GT(sides.confidence, 0.9) << "99 of 100 frames say so";
}

// straight legs, no toes, arms to the sides: front and back look the same
TEST(RigMap, AsksTheNamesForTheSidesWhereTheBodyDoesNotSay) {
  const Map map = map_rig(still_clip(without_toes()));
  EXPECT_EQ(map.segments[LeftHand].joint, 8);
  EXPECT_EQ(map.segments[LeftToe].joint, -1);
  EXPECT_EQ(decision(map, "left and right").answer, "as named");
  EXPECT_NE(decision(map, "left and right").reason.find("the names decide"), std::string::npos);
  EXPECT_LT(map.confidence, 0.7);
}

TEST(RigMap, RefusesWhereNeitherBodyNorNamesTellTheSides) {
  const std::string text = refusal(still_clip(nameless(without_toes())));
  EXPECT_NE(text.find("doll: left and right are unknown"), std::string::npos) << text;
  EXPECT_NE(text.find("name both thighs in a map"), std::string::npos) << text;
}

// the same clip with every frame turned about the left-right axis onto the back, the pelvis so high
SkeletonClip lying(SkeletonClip clip, double height) {
  Eigen::Matrix3d R;
  R << 0, 0, -1, 0, 1, 0, 1, 0, 0;
  for (SkeletonPose& pose : clip.frames) {
    const Vector3d pelvis = pose.p_FJ[0];
    for (Vector3d& p : pose.p_FJ) p = R * (p - pelvis) + Vector3d(0.3, 0.0, height);
    for (Eigen::Matrix3d& R_FJ : pose.R_FJ) R_FJ = R * R_FJ;
  }
  return clip;
}

TEST(RigMap, DoesNotMistakeALyingPersonForAStandingOne) {
  const Map map = map_rig(lying(still_clip(person()), 0.1));
  EXPECT_EQ(map.R_WF, Eigen::Matrix3d::Identity());
  EXPECT_GE(decision(map, "up axis").confidence, 0.5);
  EXPECT_NE(decision(map, "up axis").reason.find("the rest pose is upright along it"), std::string::npos);
  EXPECT_NE(decision(map, "up axis").reason.find("the floor is at 0"), std::string::npos);
}

TEST(RigMap, RefusesWhereBodyAndRestPoseStandAlongOtherAxesAndNoFloorDecides) {
  const std::string text = refusal(lying(still_clip(person()), 1.0));
  EXPECT_NE(text.find("the up axis is unknown: z"), std::string::npos) << text;
  EXPECT_NE(text.find("the rest pose is upright along it) or -x"), std::string::npos) << text;
}

TEST(RigMap, ARefusedUpAxisIsGuessedOnRequestAndTheTwoLinesAreShown) {
  const SkeletonClip clip = lying(still_clip(person()), 1.0);
  EXPECT_NE(refusal(clip).find("\n  version = 1\n  up = \"z\""), std::string::npos) << refusal(clip);
  Hints hints;
  hints.guess = true;
  const Map map = map_rig(clip, hints);
  EXPECT_EQ(map.R_WF, Eigen::Matrix3d::Identity());
  EXPECT_LT(decision(map, "up axis").confidence, 0.5);
  hints.guess = false;
  hints.up = "z";  // what the two lines say
  EXPECT_EQ(map_rig(clip, hints).R_WF, Eigen::Matrix3d::Identity());
}

// a person who stands for a fifth of the clip and walks there; the rest pose is upright along another axis
TEST(RigMap, ARestPoseDoesNotOutvoteTheFramesInWhichThePersonWalks) {
  SkeletonClip clip = still_clip(person());
  const SkeletonClip down = lying(clip, 0.1);
  for (Vector3d& p : clip.rest.p_FJ) p = Vector3d(p.z(), p.y(), -p.x());
  for (int f = 1; f < 40; ++f) {
    clip.frames.push_back(f < 10 ? clip.frames.front() : down.frames.front());
    for (Vector3d& p : clip.frames.back().p_FJ) p.x() += 0.1 * std::min(f, 10);
    clip.times.push_back(0.1 * f);
  }
  const Map map = map_rig(clip);
  EXPECT_EQ(map.R_WF, Eigen::Matrix3d::Identity()) << decision(map, "up axis").reason;
  EXPECT_GE(decision(map, "up axis").confidence, 0.9);
}

TEST(RigMap, GuessesThatPeopleStandAndSaysSo) {
  SkeletonClip clip = still_clip(person());
  for (Vector3d& p : clip.rest.p_FJ) p = Vector3d(p.z(), p.z(), p.x() + 2.0 * p.y());
  const Map map = map_rig(clip);
  EXPECT_EQ(map.R_WF, Eigen::Matrix3d::Identity());
  EXPECT_LT(decision(map, "up axis").confidence, 0.5);
  EXPECT_EQ(map.confidence, decision(map, "up axis").confidence);
  EXPECT_NE(decision(map, "up axis").reason.find("a guess"), std::string::npos);
}

// 1.5 m along x in 20 frames
TEST(RigMap, IsSureOfUpWhereThePersonTravels) {
  SkeletonClip clip = still_clip(person());
  for (Vector3d& p : clip.rest.p_FJ) p = Vector3d(p.z(), p.z(), p.x() + 2.0 * p.y());
  for (int f = 1; f < 20; ++f) {
    clip.frames.push_back(clip.frames.front());
    for (Vector3d& p : clip.frames.back().p_FJ) p.x() += 0.08 * f;
    clip.times.push_back(0.1 * f);
  }
  EXPECT_GE(decision(map_rig(clip), "up axis").confidence, 0.9);
}

// the lowest spine joint turns by 20 degrees; hips and thighs stay with the pelvis, which they do not hang on
TEST(RigMap, FindsThePelvisThatCarriesThighsWhichHangOnTheSpine) {
  std::vector<Part> parts = nameless(person());
  parts[13].parent = parts[17].parent = 1;
  SkeletonClip clip = still_clip(parts);
  for (int f = 1; f < 10; ++f) {
    clip.frames.push_back(clip.frames.front());
    const Eigen::Matrix3d R = Eigen::AngleAxisd(0.04 * f, Vector3d::UnitX()).toRotationMatrix();
    SkeletonPose& pose = clip.frames.back();
    for (std::size_t j = 1; j < 13; ++j) {
      pose.R_FJ[j] = R;
      pose.p_FJ[j] = pose.p_FJ[1] + R * (clip.rest.p_FJ[j] - clip.rest.p_FJ[1]);
    }
    clip.times.push_back(0.1 * f);
  }
  const Map map = map_rig(clip);
  EXPECT_EQ(map.segments[Pelvis].joint, 0);
  EXPECT_EQ(map.segments[L3].joint, 1);
  EXPECT_EQ(map.segments[T8].joint, 2);
}

TEST(RigMap, DoesNotTakeTheEndOfAForearmForAHand) {
  std::vector<Part> parts = person();
  parts[8].name = "LeftLowerArm_End";
  parts[12].name = "RightLowerArm_End";
  const Map map = map_rig(still_clip(parts));
  EXPECT_EQ(map.segments[LeftForeArm].joint, 7);
  EXPECT_EQ(map.segments[LeftHand].joint, -1);
  EXPECT_EQ(map.segments[RightHand].joint, -1);
}

TEST(RigMap, RefusesABoxWithTheReason) {
  const std::string text = refusal(still_clip({{"box", -1, {0, 0, 0}}, {"lid", 0, {0, 0, 1}}}));
  EXPECT_NE(text.find("doll: no human skeleton: none of its 2 joints carries two legs"), std::string::npos)
      << text;
}

TEST(RigMap, RefusesABodyWithoutArmsOrHead) {
  std::vector<Part> parts = person();
  parts[3].position = {0.1, 0, 1.2};  // the neck bends down
  parts[4].position = {0.2, 0, 1.1};
  EXPECT_NE(refusal(still_clip(parts)).find("no head or neck rises above the shoulders"), std::string::npos);
  parts = person();
  for (std::size_t i = 5; i <= 12; ++i) parts[i].position = parts[2].position;
  EXPECT_NE(refusal(still_clip(parts)), "");
}

TEST(RigMap, RefusesAClipThatIsBroken) {
  SkeletonClip clip = still_clip(person());
  clip.frames[0].p_FJ[3].x() = std::nan("");
  EXPECT_NE(refusal(clip).find("not finite"), std::string::npos);
  clip = still_clip(person());
  clip.frames[0].p_FJ.pop_back();
  EXPECT_NE(refusal(clip).find("different numbers of joints"), std::string::npos);
  clip.frames.clear();
  clip.times.clear();
  EXPECT_NE(refusal(clip).find("no frames"), std::string::npos);
  EXPECT_NE(refusal(SkeletonClip{}).find("no joints"), std::string::npos);
  clip = still_clip(person());
  for (Vector3d& p : clip.frames[0].p_FJ) p.setZero();
  EXPECT_NE(refusal(clip).find("no human"), std::string::npos);
}

TEST(RigMap, FollowsHints) {
  Hints hints;
  hints.joint[Neck] = "Head";
  hints.next[L5] = "Chest";
  hints.joint[L5] = "Hips";
  hints.share[L5] = 0.1;
  hints.unit = 0.5;
  hints.up = "-x";
  const Map map = map_rig(still_clip(person()), hints);
  EXPECT_EQ(map.segments[Neck].joint, 4);
  EXPECT_EQ(map.segments[L5].joint, 0);
  EXPECT_EQ(map.segments[L5].next, 2);
  EXPECT_EQ(map.segments[L5].share, 0.1);
  EXPECT_EQ(map.segments[L5].reason, "given");
  EXPECT_EQ(map.unit, 0.5);
  EXPECT_EQ(Vector3d(map.R_WF.row(2)), Vector3d(-1, 0, 0));
  EXPECT_EQ(map.segments[Head].joint, 4);
}

TEST(RigMap, SidesThatAreGivenNeedNeitherBodyNorNames) {
  std::vector<Part> parts = nameless(without_toes());
  parts[13].name = "this one";
  Hints hints;
  hints.joint[RightUpperLeg] = "this one";
  const Map map = map_rig(still_clip(parts), hints);
  EXPECT_EQ(map.segments[RightUpperLeg].joint, 13);
  EXPECT_EQ(map.segments[RightHand].joint, 8);
  EXPECT_EQ(decision(map, "left and right").answer, "as given");
}

TEST(RigMap, NamesTheNearestJointWhereAHintIsUnknown) {
  Hints hints;
  hints.joint[Head] = "Haed";
  const std::string text = refusal<ConfigError>(still_clip(person()), hints);
  EXPECT_NE(text.find("no joint 'Haed' in doll; did you mean 'Head'?"), std::string::npos) << text;
  hints = {};
  hints.up = "w";
  EXPECT_NE(refusal<ConfigError>(still_clip(person()), hints).find("up axis 'w'"), std::string::npos);
}

TEST(RigMap, TakesACompleteMapAsItIs) {
  const std::vector<Part> parts = person();
  Hints hints;
  hints.complete = true;
  const std::vector<std::pair<int, const char*>> given{{Pelvis, "Hips"},
                                                       {T8, "Chest"},
                                                       {Head, "Head"},
                                                       {LeftUpperArm, "RightUpperArm"},
                                                       {LeftForeArm, "RightLowerArm"},
                                                       {RightUpperArm, "LeftUpperArm"},
                                                       {RightForeArm, "LeftLowerArm"},
                                                       {LeftUpperLeg, "LeftUpperLeg"},
                                                       {LeftLowerLeg, "LeftLowerLeg"},
                                                       {RightUpperLeg, "RightUpperLeg"},
                                                       {RightLowerLeg, "RightLowerLeg"}};
  for (const auto& [segment, name] : given) hints.joint[at(segment)] = name;
  const Map map = map_rig(still_clip(parts), hints);
  EXPECT_EQ(map.segments[LeftUpperArm].joint, 10);  // the user's word, right or wrong
  EXPECT_EQ(map.segments[L5].joint, -1);
  EXPECT_EQ(map.segments[LeftHand].joint, -1);
  EXPECT_EQ(map.unit, 1.0);
  EXPECT_EQ(decision(map, "up axis").answer, "z");
}

TEST(RigMap, NeedsUpAndUnitWhereACompleteMapNamesTooFewJoints) {
  Hints hints;
  hints.complete = true;
  hints.joint[RightHand] = "RightHand";
  EXPECT_NE(refusal<ConfigError>(still_clip(person()), hints).find("the up axis; add it to the map"),
            std::string::npos);
  hints.up = "z";
  EXPECT_NE(refusal<ConfigError>(still_clip(person()), hints).find("the unit of length"), std::string::npos);
  hints.unit = 1.0;
  EXPECT_EQ(map_rig(still_clip(person()), hints).segments[RightHand].joint, 12);
}

}  // namespace
}  // namespace panto::rig
