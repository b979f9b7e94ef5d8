// Hands, feet and heads on which things hang: their direction is that without the things.

#include <gtest/gtest.h>

#include "panto/math/degrees.hpp"
#include "panto/rig/fit.hpp"
#include "panto/rig/map.hpp"
#include "tests/support/rig_clips.hpp"

namespace panto {
namespace {

using enum HumanSegment::Index;

using Eigen::Vector3d;
using test::RigClip;
using test::RigVariant;

constexpr double kAllowed = 5.0;  // [deg] (issue 32)

rig::Rig rig_of(const RigVariant& variant) {
  return rig::align_rig(variant.clip, rig::map_rig(variant.clip));
}

// a direction across the segment's own, in the joint's frame; in file units so long
Vector3d aside(const RigVariant& variant, const rig::Rig& rig, int segment, double legs) {
  const Vector3d side = rig.offsets[at(segment)].R_JS * Vector3d::UnitX();
  const Vector3d down = rig.offsets[at(segment)].R_JS * -Vector3d::UnitZ();
  const bool foot = segment == RightFoot || segment == LeftFoot;
  return legs * test::leg_of(variant) * (foot ? down : side);
}

struct Thing {
  const char* what;
  std::vector<int> segments;
  std::vector<const char*> names;  // a chain
  double legs;                     // length of each link, of the leg
};

const std::vector<Thing>& things() {
  static const std::vector<Thing> all{
      {"a prop", {RightHand, LeftHand}, {"Prop"}, 0.1},
      {"a sword", {RightHand}, {"Sword", "Sword2", "SwordTip"}, 0.3},
      {"a weapon of unknown name", {RightHand, LeftHand}, {"Cube"}, 0.2},
      {"a camera", {LeftHand, Head}, {"Camera"}, 0.15},
      {"a thumb", {RightHand, LeftHand}, {"HandThumb1", "HandThumb2"}, 0.03},
      {"a finger's base at the wrist", {RightHand, LeftHand}, {"FingerBase"}, 0.0},
      {"a joint at the ankle", {RightFoot, LeftFoot}, {"AnkleHelper"}, 0.0},
      {"a heel", {RightFoot, LeftFoot}, {"Heel"}, 0.07},
      {"a hat", {Head}, {"Hat", "Feather"}, 0.2}};
  return all;
}

class HeldThings : public testing::TestWithParam<RigClip> {};

TEST_P(HeldThings, AreNotTheDirectionOfHandsFeetOrHead) {
  PANTO_NEED_DATA(GetParam().file);
  const RigVariant original = test::load_rig(GetParam());
  const rig::Rig without = rig_of(original);
  for (const Thing& thing : things()) {
    RigVariant variant = original;
    for (const int segment : thing.segments) {
      int parent = variant.truth.joint[at(segment)];
      if (parent < 0) continue;
      const Vector3d way = aside(variant, without, segment, thing.legs);
      for (const char* name : thing.names) parent = test::add_still(variant, name, parent, way);
    }
    const rig::Rig with = rig_of(variant);
    for (const int segment : {RightHand, LeftHand, RightFoot, LeftFoot, Head}) {
      const rig::Offset &a = without.offsets[at(segment)], &b = with.offsets[at(segment)];
      if (!a.valid) continue;
      ASSERT_TRUE(b.valid) << thing.what;
      EXPECT_EQ(with.map.segments[at(segment)].joint, without.map.segments[at(segment)].joint) << thing.what;
      EXPECT_LT(so3::distance(a.R_JS, b.R_JS) * kToDegrees, kAllowed)
          << thing.what << ", " << kHumanSegmentNames[at(segment)] << ": " << a.reason << " | " << b.reason;
    }
  }
}

// as VRoid's avatars wear them: chains as long and as symmetric as limbs
void dress(RigVariant& variant, const rig::Rig& rig) {
  const double leg = test::leg_of(variant);
  const auto add = [&](int segment, const std::string& name, int chains, double length) {
    const Eigen::Matrix3d& R = rig.offsets[at(segment)].R_JS;
    for (int k = 0; k < chains; ++k) {
      const double turn = 2.0 * M_PI * (k + 0.5) / chains;
      const Vector3d out = R * Vector3d(std::cos(turn), std::sin(turn), 0.0), down = R * -Vector3d::UnitZ();
      int parent = variant.truth.joint[at(segment)];
      for (int i = 0; i < 3; ++i) {
        const Vector3d way = leg * length * (i == 0 ? Vector3d(0.5 * out) : Vector3d(down + 0.1 * out));
        const std::string number = std::to_string(i) + "_" + std::to_string(k);
        parent = test::add_still(variant, (name + number).c_str(), parent, way);
      }
    }
  };
  add(Head, "J_Sec_Hair", 13, 0.1);
  add(Pelvis, "J_Sec_SkirtSide", 12, 0.25);
}

TEST_P(HeldThings, HairAndSkirtsAreNotTheBody) {
  PANTO_NEED_DATA(GetParam().file);
  const RigVariant bare = test::load_rig(GetParam());
  const rig::Rig without = rig_of(bare);
  RigVariant dressed = bare;
  dress(dressed, without);
  const rig::Rig with = rig_of(dressed);
  for (int i = 0; i < static_cast<int>(kHumanSegmentCount); ++i) {
    EXPECT_EQ(with.map.segments[at(i)].joint, without.map.segments[at(i)].joint) << kHumanSegmentNames[at(i)];
    const rig::Offset &a = without.offsets[at(i)], &b = with.offsets[at(i)];
    ASSERT_EQ(a.valid, b.valid) << kHumanSegmentNames[at(i)];
    if (!a.valid) continue;
    EXPECT_LT(so3::distance(a.R_JS, b.R_JS) * kToDegrees, kAllowed) << kHumanSegmentNames[at(i)];
  }
  EXPECT_NEAR(with.map.confidence, without.map.confidence, 0.05);
}

// clothes in the names of the body's own joints, and between them
TEST_P(HeldThings, JointsThatCarryABodyAreNoClothes) {
  PANTO_NEED_DATA(GetParam().file);
  const RigVariant plain = test::load_rig(GetParam());
  const rig::Rig without = rig_of(plain);
  RigVariant named = plain;
  for (const auto& [segment, word] : {std::pair{LeftUpperArm, "Sleeve"}, {RightUpperLeg, "Skirt"}}) {
    const int joint = plain.truth.joint[at(segment)];
    if (joint >= 0) named.clip.joints[at(joint)].name += word;
  }
  const rig::Rig with = rig_of(named);
  for (const int segment : {LeftUpperArm, LeftForeArm, LeftHand, RightUpperLeg, RightLowerLeg, RightFoot})
    EXPECT_EQ(with.map.segments[at(segment)].joint, without.map.segments[at(segment)].joint)
        << kHumanSegmentNames[at(segment)];
}

INSTANTIATE_TEST_SUITE_P(Clips, HeldThings, testing::ValuesIn(test::rig_clips()), [](const auto& clip) {
  std::string name = clip.param.file;
  for (char& c : name) c = std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  return name;
});

// SOMA's frames on its own clip: the body does not veto them
TEST(SomaFrames, AreTakenForForearmsAndHands) {
  const char* file = "bvh/field/soma_pick_up.bvh";
  PANTO_NEED_DATA(file);
  const SkeletonClip clip = test::skeleton_clip(test::data_file(file));
  const rig::Rig rig = rig::align_rig(clip, rig::map_rig(clip));
  EXPECT_EQ(rig.map.family, "soma");
  for (const int segment : {RightForeArm, LeftForeArm, RightHand, LeftHand})
    EXPECT_NE(rig.offsets[at(segment)].reason.find("BONES-SEED's own frames"), std::string::npos)
        << rig.offsets[at(segment)].reason;
  // thumbs are ahead of the hand in its own frame, knuckles along it
  for (const auto& [hand, side] : {std::pair{RightHand, "Right"}, {LeftHand, "Left"}}) {
    const auto seen = [&, hand = hand, side = side](const char* name) -> Vector3d {
      const int joint = test::joint_index(clip, std::string(side) + name),
                own = rig.map.segments[at(hand)].joint;
      const SkeletonPose& pose = clip.frames.front();
      return (rig.offsets[at(hand)].R_JS.transpose() * pose.R_FJ[at(own)].transpose() *
              (pose.p_FJ[at(joint)] - pose.p_FJ[at(own)]))
          .normalized();
    };
    EXPECT_GT((hand == RightHand ? -1.0 : 1.0) * seen("HandMiddle1").y(), 0.95) << side;
    EXPECT_GT(seen("HandThumb1").x() - seen("HandPinky1").x(), 0.2) << side;
  }
}

}  // namespace
}  // namespace panto
