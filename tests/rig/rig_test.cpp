#include "panto/rig/fit.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numbers>
#include <string>

#include "apps/support/allocation_count.hpp"
#include "panto/base/error.hpp"
#include "panto/math/so3.hpp"
#include "tests/support/random_model.hpp"
#include "tests/support/synthetic_skeleton.hpp"

namespace panto::rig {
namespace {

using enum HumanSegment::Index;

using Eigen::Matrix3d;
using Eigen::Vector3d;
using test::SegmentRotations;
using test::SyntheticSkeleton;

constexpr double kPi = std::numbers::pi;
constexpr double kDegree = kPi / 180.0;

class RigOfAWalk : public ::testing::Test {
 protected:
  SubjectDimensions subject = scaled_subject(1.8);
  Model model = human66(subject);
  std::vector<State> walk = test::synthetic_motion("walk", model, 4.0, 60.0).truth;

  // a file that has this walk; its joints are turned, all angles zero are a nonsense
  SyntheticSkeleton turned(std::uint64_t seed) const {
    test::Random random(seed);
    SegmentRotations R_SJ;
    for (Matrix3d& R : R_SJ) R = test::random_rotation(random);
    State nonsense = rest_state(model);
    for (int i = 0; i < model.dof(); ++i) nonsense.s[i] = test::uniform(random, -kPi, kPi);
    return test::synthetic_skeleton(model, walk, R_SJ, nonsense, subject);
  }

  // the same with the joints that BVH has: all turned alike at rest
  SyntheticSkeleton posed(const State& rest) const {
    Kinematics kinematics(model);
    kinematics.update(rest);
    SegmentRotations R_SJ;
    for (std::size_t i = 0; i < R_SJ.size(); ++i)
      R_SJ[i] = kinematics.R_WL(model.link_index(kHumanSegmentNames[i])).transpose();
    return test::synthetic_skeleton(model, walk, R_SJ, rest, subject);
  }

  State arms_at(double right_elevation, double left_elevation) const {
    State state = rest_state(model);
    for (int i = 0; i < model.dof(); ++i) {
      const std::string& name = model.joint_names()[at(i)];
      if (name == "jRightShoulder_rotx") state.s[i] = -right_elevation;
      if (name == "jLeftShoulder_rotx") state.s[i] = left_elevation;
    }
    return state;
  }

  static Matrix3d error_of(const Rig& rig, const SyntheticSkeleton& skeleton, int segment) {
    return skeleton.R_SJ[at(segment)] * rig.offsets[at(segment)].R_JS;
  }
};

TEST_F(RigOfAWalk, FindsFramesAndSizesWhateverTheFramesOfTheJointsAndTheRestPose) {
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    const SyntheticSkeleton skeleton = turned(seed);
    const Rig rig = align_rig(skeleton.clip, skeleton.map);
    EXPECT_EQ(rig.rest, RestPose::Other);
    for (int i = 0; i < kHumanSegmentCount; ++i) {
      const Offset& offset = rig.offsets[at(i)];
      ASSERT_TRUE(offset.valid) << i;
      const Matrix3d error = error_of(rig, skeleton, i);
      std::printf("seed %u %-14s %6.2f deg, %s\n", static_cast<unsigned>(seed),
                  std::string(kHumanSegmentNames[at(i)]).c_str(), so3::angle(error) / kDegree,
                  offset.reason.c_str());
      const bool hinged = i == RightUpperArm || i == RightUpperLeg || i == RightLowerLeg ||
                          i == LeftUpperArm || i == LeftUpperLeg || i == LeftLowerLeg;
      // the walk's knees turn about y and its elbows about z, exactly; its feet roll where they stand
      const bool foot = i == RightFoot || i == LeftFoot;
      EXPECT_LT(so3::angle(error), (hinged ? 0.5
                                    : foot ? 5.0
                                           : 8.0) *
                                       kDegree)
          << kHumanSegmentNames[at(i)] << ": " << offset.reason;
    }
    for (int i = 1; i < kHumanSegmentCount; ++i) {
      EXPECT_NEAR(rig.subject.origin[at(i)].norm(), subject.origin[at(i)].norm(), 1e-9)
          << "lengths do not depend on frames: " << kHumanSegmentNames[at(i)];
    }
    EXPECT_NEAR(rig.subject.height, 1.8, 0.03);
  }
}

TEST_F(RigOfAWalk, BonesPointExactlyAlongTheAxesOfTheirSegments) {
  const SyntheticSkeleton skeleton = turned(4);
  const Rig rig = align_rig(skeleton.clip, skeleton.map);
  std::vector<SegmentMotion> segments;
  for (const SkeletonPose& pose : skeleton.clip.frames) {
    rig_segments(rig, pose, segments);
    const auto expect_along = [&](int segment, const Vector3d& axis) {
      const Vector3d bone = (segments[at(segment + 1)].p_WS - segments[at(segment)].p_WS).normalized();
      EXPECT_LT((bone - segments[at(segment)].R_WS * axis).norm(), 1e-9) << kHumanSegmentNames[at(segment)];
    };
    for (const int leg : {RightUpperLeg, RightLowerLeg, LeftUpperLeg, LeftLowerLeg})
      expect_along(leg, -Vector3d::UnitZ());
    for (const int arm : {RightUpperArm, RightForeArm}) expect_along(arm, -Vector3d::UnitY());
    for (const int arm : {LeftUpperArm, LeftForeArm}) expect_along(arm, Vector3d::UnitY());
  }
}

// raises the left heel by 30 degrees and the left ankle by a few centimetres
std::vector<State> on_left_toes(const Model& model, std::vector<State> motion) {
  for (State& state : motion) {
    for (int i = 0; i < model.dof(); ++i) {
      const std::string& name = model.joint_names()[at(i)];
      if (name == "jLeftHip_roty") state.s[i] -= 20.0 * kDegree;
      if (name == "jLeftKnee_roty") state.s[i] += 40.0 * kDegree;
      if (name == "jLeftAnkle_roty") state.s[i] += 10.0 * kDegree;
    }
  }
  return motion;
}

TEST_F(RigOfAWalk, AFootThatStandsOnItsToesAloneIsAsFlatAsTheOther) {
  walk = on_left_toes(model, walk);
  const SyntheticSkeleton skeleton = turned(5);
  const Rig rig = align_rig(skeleton.clip, skeleton.map);
  // 6: feet roll where they stand; the raised one would be 30 off
  for (const int foot : {RightFoot, LeftFoot})
    EXPECT_LT(so3::angle(error_of(rig, skeleton, foot)), 6.0 * kDegree) << rig.offsets[at(foot)].reason;
  EXPECT_EQ(rig.offsets[at(LeftFoot)].reason.substr(0, 18), "stands on its toes");
  EXPECT_EQ(rig.offsets[at(RightFoot)].reason.substr(0, 14), "flat in stance");
}

TEST_F(RigOfAWalk, TakesASaneRestPoseForWhatNothingElseDetermines) {
  for (const auto& [elevation, kind] :
       {std::pair{0.0, RestPose::T}, {-45.0 * kDegree, RestPose::A}, {-90.0 * kDegree, RestPose::N}}) {
    const SyntheticSkeleton skeleton = posed(arms_at(elevation, elevation));
    const Rig rig = align_rig(skeleton.clip, skeleton.map);
    EXPECT_EQ(rig.rest, kind);
    for (int i = 0; i < kHumanSegmentCount; ++i) {
      const bool foot = i == RightFoot || i == LeftFoot || i == RightToe || i == LeftToe;
      EXPECT_LT(so3::angle(error_of(rig, skeleton, i)), (foot ? 7.0 : 0.5) * kDegree)
          << to_string(kind) << " " << kHumanSegmentNames[at(i)] << ": " << rig.offsets[at(i)].reason;
    }
  }
}

// SMPL: x left, y up, z forward in every joint; the rest pose is a nonsense, so that only the family knows
TEST_F(RigOfAWalk, SmplsFramesAreThoseOfItsModel) {
  SyntheticSkeleton skeleton = turned(11);
  Matrix3d R_SJ;
  R_SJ << 0, 0, 1, 1, 0, 0, 0, 1, 0;
  SegmentRotations all;
  all.fill(R_SJ);
  State nonsense = rest_state(model);
  for (int i = 0; i < model.dof(); ++i) nonsense.s[i] = 1.0 + 0.1 * i;
  skeleton = test::synthetic_skeleton(model, walk, all, nonsense, subject);
  skeleton.map.family = "smpl";
  const Rig rig = align_rig(skeleton.clip, skeleton.map);
  EXPECT_EQ(rig.rest, RestPose::Other);
  for (const int i : {Pelvis, Head, RightForeArm, LeftForeArm, RightHand, LeftHand, RightFoot, LeftFoot}) {
    EXPECT_LT(so3::angle(error_of(rig, skeleton, i)), 1e-6)
        << kHumanSegmentNames[at(i)] << ": " << rig.offsets[at(i)].reason;
    EXPECT_NE(rig.offsets[at(i)].reason.find("SMPL's own frames"), std::string::npos)
        << rig.offsets[at(i)].reason;
  }
}

// names of SMPL on joints with other frames: bones, hinges and soles veto, and the reason says so
TEST_F(RigOfAWalk, ABodyVetoesAFamilysFrames) {
  SyntheticSkeleton skeleton = turned(12);
  const Rig without = align_rig(skeleton.clip, skeleton.map);
  skeleton.map.family = "smpl";
  const Rig rig = align_rig(skeleton.clip, skeleton.map);
  for (const int i : {Pelvis, Head, RightForeArm, LeftForeArm, RightHand, LeftHand, RightFoot, LeftFoot}) {
    EXPECT_EQ(rig.offsets[at(i)].R_JS, without.offsets[at(i)].R_JS) << kHumanSegmentNames[at(i)];
    EXPECT_NE(rig.offsets[at(i)].reason.find("; not SMPL's own frames"), std::string::npos)
        << rig.offsets[at(i)].reason;
  }
}

TEST_F(RigOfAWalk, KnowsARestPoseFromNonsense) {
  const auto kind = [&](const State& state) {
    const SyntheticSkeleton skeleton = posed(state);
    return align_rig(skeleton.clip, skeleton.map).rest;
  };
  EXPECT_EQ(kind(arms_at(0.0, 0.0)), RestPose::T);
  EXPECT_EQ(kind(arms_at(-80 * kDegree, -80 * kDegree)), RestPose::N);
  EXPECT_EQ(kind(arms_at(0.0, -90 * kDegree)), RestPose::Other) << "one arm hangs, one is level";
  EXPECT_EQ(kind(arms_at(60 * kDegree, 60 * kDegree)), RestPose::Other) << "arms raised";
  // a rest skeleton that lies in its file is as good as one that stands
  State lying = arms_at(0.0, 0.0);
  lying.R_WB = so3::about_axis(0, 0.5 * kPi);
  EXPECT_EQ(kind(lying), RestPose::T);
  lying.R_WB = so3::about_axis(0, 0.7);
  EXPECT_EQ(kind(lying), RestPose::Other) << "leaning by 40 degrees is no way to stand or lie";
  State forward = arms_at(0.0, 0.0);
  for (int i = 0; i < model.dof(); ++i) {
    if (model.joint_names()[at(i)] == "jRightShoulder_rotz") forward.s[i] = 0.5 * kPi;
    if (model.joint_names()[at(i)] == "jLeftShoulder_rotz") forward.s[i] = -0.5 * kPi;
  }
  EXPECT_EQ(kind(forward), RestPose::Other) << "arms ahead";
}

TEST_F(RigOfAWalk, KeepsWhatIsKnown) {
  const SyntheticSkeleton skeleton = turned(5);
  Offsets known;
  test::Random random(6);
  for (const int i : {Pelvis, T8, RightForeArm, LeftFoot}) {
    known[at(i)].valid = true;
    known[at(i)].R_JS = test::random_rotation(random);
    known[at(i)].reason = "from the map";
  }
  const Rig rig = align_rig(skeleton.clip, skeleton.map, known);
  for (const int i : {Pelvis, T8, RightForeArm, LeftFoot}) {
    EXPECT_EQ(rig.offsets[at(i)].R_JS, known[at(i)].R_JS);
    EXPECT_EQ(rig.offsets[at(i)].reason, "from the map");
  }
}

TEST_F(RigOfAWalk, IsTheSameInEveryUnit) {
  SyntheticSkeleton skeleton = turned(7);
  const Rig centimetres = align_rig(skeleton.clip, skeleton.map);
  const auto scale = [](SkeletonPose& pose, double factor) {
    for (Vector3d& p : pose.p_FJ) p *= factor;
  };
  skeleton.map.unit *= 0.1;
  scale(skeleton.clip.rest, 10.0);
  for (SkeletonPose& pose : skeleton.clip.frames) scale(pose, 10.0);
  for (SkeletonJoint& joint : skeleton.clip.joints) {
    for (Vector3d& tip : joint.tips) tip *= 10.0;
  }
  const Rig millimetres = align_rig(skeleton.clip, skeleton.map);
  EXPECT_NEAR(millimetres.subject.height, centimetres.subject.height, 1e-9);
  for (std::size_t i = 0; i < kHumanSegmentCount; ++i)
    EXPECT_LT(so3::distance(millimetres.offsets[i].R_JS, centimetres.offsets[i].R_JS), 1e-6);
}

TEST_F(RigOfAWalk, SegmentsAreReadWithoutAllocating) {
  if (!AllocationCount::available()) GTEST_SKIP() << "the sanitizer owns malloc";
  const SyntheticSkeleton skeleton = turned(8);
  const Rig rig = align_rig(skeleton.clip, skeleton.map);
  std::vector<SegmentMotion> segments(kHumanSegmentCount);
  const AllocationCount count;
  for (const SkeletonPose& pose : skeleton.clip.frames) rig_segments(rig, pose, segments);
  EXPECT_EQ(count.value(), 0);
}

TEST_F(RigOfAWalk, SegmentsThatAreNotMeasuredHaveNoFlagAndAveragePersonsSizes) {
  SyntheticSkeleton skeleton = posed(rest_state(model));
  for (const int i : {Neck, RightShoulder, LeftShoulder, RightHand, LeftHand, RightToe, LeftToe})
    skeleton.map.segments[at(i)] = {};
  const Rig rig = align_rig(skeleton.clip, skeleton.map);
  std::vector<SegmentMotion> segments;
  rig_segments(rig, skeleton.clip.frames[10], segments);
  for (int i = 0; i < kHumanSegmentCount; ++i) {
    const bool measured = skeleton.map.segments[at(i)].joint >= 0;
    EXPECT_EQ(segments[at(i)].has_orientation, measured);
    EXPECT_EQ(segments[at(i)].has_position, measured);
    // what is left out lies between what is known, or is as long as an average person's
    const bool toe = i == RightToe || i == LeftToe;  // the ball, short of the joint that is left out
    EXPECT_LT((rig.subject.origin[at(i)] - subject.origin[at(i)]).norm(), toe ? 0.06 : 0.02)
        << kHumanSegmentNames[at(i)];
  }
  EXPECT_NO_THROW((void)human66(rig.subject));
}

// A rig with one joint in its spine: half of the turn at each end of ours, the head where it was.
TEST_F(RigOfAWalk, ASpreadSpineTurnsInStepsAndKeepsTheHeadWhereItWas) {
  SyntheticSkeleton skeleton = posed(rest_state(model));
  // pelvis and chest only: the joints between turn with the pelvis, all of the bend is the chest's
  std::vector<State> bends;
  for (int k = 0; k < 40; ++k) {
    State state = walk[at(k)];
    for (int i = 0; i < model.dof(); ++i) {
      const std::string& name = model.joint_names()[at(i)];
      const bool spine = name.starts_with("jL5S1") || name.starts_with("jL4L3") || name.starts_with("jL1T12");
      if (spine) state.s[i] = 0.0;
      if (name == "jT9T8_roty") state.s[i] = 0.3 * std::sin(0.3 * k);
    }
    bends.push_back(state);
  }
  skeleton = test::synthetic_skeleton(model, bends, test::identities(), rest_state(model), subject);
  for (int step = 1; step <= 3; ++step) {
    MapEntry& entry = skeleton.map.segments[at(Pelvis + step)];
    entry.joint = Pelvis;
    entry.next = T8;
    entry.share = 0.25 * step;
  }
  const Rig rig = align_rig(skeleton.clip, skeleton.map);
  const Model ours = human66(rig.subject);
  std::vector<SegmentMotion> segments;
  Kinematics kinematics(ours), theirs(model);
  double worst = 0.0, sway = 0.0;
  for (std::size_t k = 0; k < bends.size(); ++k) {
    rig_segments(rig, skeleton.clip.frames[k], segments);
    EXPECT_NEAR(so3::distance(segments[Pelvis].R_WS, segments[L3].R_WS),
                0.5 * so3::distance(segments[Pelvis].R_WS, segments[T8].R_WS), 1e-9);
    EXPECT_FALSE(segments[L3].has_position);
    // the head from the spine's own turns
    theirs.update(bends[k]);
    Vector3d head = segments[Pelvis].p_WS;
    for (const int i : {L5, L3, T12, T8, Neck, Head})
      head += segments[at(kHumanSegmentParent[at(i)])].R_WS * rig.subject.origin[at(i)];
    worst = std::max(worst, (head - theirs.p_WL(model.link_index("Head"))).norm());
    sway = std::max(sway,
                    2.0 * std::sin(0.15) *
                        (theirs.p_WL(model.link_index("Head")) - theirs.p_WL(model.link_index("T8"))).norm());
  }
  std::printf("spread spine: the head is %.2f mm off, of %.0f mm that it sways\n", 1e3 * worst, 1e3 * sway);
  EXPECT_LT(worst, 0.05 * sway);
}

TEST_F(RigOfAWalk, RefusesAClipThatCannotBeAligned) {
  const auto refusal = [](const SyntheticSkeleton& skeleton) -> std::string {
    try {
      (void)align_rig(skeleton.clip, skeleton.map);
      return {};
    } catch (const FormatError& error) {
      return error.what();
    }
  };
  SyntheticSkeleton skeleton = turned(9);
  skeleton.clip.frames.clear();
  EXPECT_NE(refusal(skeleton).find("synthetic: the clip has no frames"), std::string::npos);
  skeleton = turned(9);
  skeleton.map.segments[Pelvis] = {};
  EXPECT_NE(refusal(skeleton).find("no joint is mapped to the pelvis"), std::string::npos);
  skeleton = turned(9);
  for (const int i : {RightUpperLeg, LeftUpperArm}) skeleton.map.segments[at(i)] = {};
  EXPECT_NE(refusal(skeleton).find("both thighs nor both upper arms"), std::string::npos);
  skeleton = turned(9);
  skeleton.map.unit = 1.0;
  EXPECT_NE(refusal(skeleton).find("check the unit of length"), std::string::npos);
}

}  // namespace
}  // namespace panto::rig
