// Maps of a user that no body can have.

#include "panto/rig/map_check.hpp"

#include <gtest/gtest.h>

#include <array>

#include "panto/base/index.hpp"
#include "tests/rig/doll.hpp"

namespace panto::rig {
namespace {

using enum HumanSegment::Index;

using test::decision, test::Part, test::person, test::refusal, test::still_clip;

// a complete map of `person()`, whose joints have a prefix
Hints whole_map(const std::string& prefix = "") {
  Hints hints;
  hints.complete = true;
  hints.joint[Pelvis] = prefix + "Hips";
  hints.joint[T8] = prefix + "Chest";
  hints.joint[Head] = prefix + "Head";
  const std::array<const char*, 3> arm{"UpperArm", "LowerArm", "Hand"};
  const std::array<const char*, 4> leg{"UpperLeg", "LowerLeg", "Foot", "Toes"};
  for (const bool left : {true, false}) {
    const std::string side = prefix + (left ? "Left" : "Right");
    for (std::size_t i = 0; i < arm.size(); ++i)
      hints.joint[at(left ? LeftUpperArm : RightUpperArm) + i] = side + arm[i];
    for (std::size_t i = 0; i < leg.size(); ++i)
      hints.joint[at(left ? LeftUpperLeg : RightUpperLeg) + i] = side + leg[i];
  }
  return hints;
}

// a forearm on the head moves as no forearm does, and nothing else would tell
TEST(RigMapCheck, RefusesAJointThatDoesNotHangOnThatOfTheSegmentBeforeIt) {
  const SkeletonClip clip = still_clip(person());
  Hints hints = whole_map();
  hints.joint[LeftForeArm] = "Head";
  EXPECT_EQ(
      refusal<ConfigError>(clip, hints),
      "doll: LeftForeArm is joint 'Head', which does not hang on 'LeftUpperArm' (LeftUpperArm): correct "
      "the map");
  hints = whole_map();
  hints.joint[RightUpperLeg] = "RightUpperArm";
  EXPECT_EQ(refusal<ConfigError>(clip, hints),
            "doll: RightLowerLeg is joint 'RightLowerLeg', which does not hang on 'RightUpperArm' "
            "(RightUpperLeg): correct the map");
  hints = whole_map();
  hints.joint[Pelvis] = "Neck";
  EXPECT_NE(refusal<ConfigError>(clip, hints).find("RightUpperLeg', which does not hang on 'Neck' (Pelvis)"),
            std::string::npos);
  hints = whole_map();
  hints.joint[LeftForeArm] = "";  // the hand's nearest is the upper arm
  hints.joint[LeftHand] = "RightHand";
  EXPECT_NE(refusal<ConfigError>(clip, hints).find("which does not hang on 'LeftUpperArm' (LeftUpperArm)"),
            std::string::npos);
}

TEST(RigMapCheck, RefusesOneWrongJointAmongThoseThatAreFound) {
  const SkeletonClip clip = still_clip(person());
  Hints hints;
  hints.joint[LeftForeArm] = "Head";
  EXPECT_NE(
      refusal<ConfigError>(clip, hints).find("correct LeftForeArm in the map, or name LeftUpperArm too"),
      std::string::npos)
      << refusal<ConfigError>(clip, hints);
  hints = {};
  hints.joint[RightUpperLeg] = "RightUpperArm";
  EXPECT_NE(
      refusal<ConfigError>(clip, hints).find("correct RightUpperLeg in the map, or name RightLowerLeg too"),
      std::string::npos)
      << refusal<ConfigError>(clip, hints);
}

// a forearm that takes half of the elbow's turn begins at the joint of the upper arm
TEST(RigMapCheck, TakesLimbsThatAreSpreadAndAPelvisBesideTheSpine) {
  std::vector<Part> parts = person();
  for (Part& part : parts) part.parent += part.parent > 0 ? 1 : 0;
  parts[13].parent = parts[17].parent = 1;
  parts.insert(parts.begin() + 1, {"Girdle", 0, {0, 0, 0.95}});
  Hints hints = whole_map();
  hints.joint[Pelvis] = "Girdle";
  hints.joint[LeftForeArm] = "LeftUpperArm";
  hints.next[LeftForeArm] = "LeftLowerArm";
  hints.share[LeftForeArm] = 0.5;
  const Map map = map_rig(still_clip(parts), hints);
  EXPECT_EQ(map.segments[Pelvis].joint, 1);
  EXPECT_EQ(map.segments[LeftForeArm].joint, 7);
  EXPECT_EQ(map.segments[Head].joint, 5) << "hangs on the hips, which carry the girdle too";
}

// two people of 21 joints, two metres apart
SkeletonClip two_people() {
  std::vector<Part> parts = person();
  for (Part part : person()) {
    part.parent += part.parent < 0 ? 0 : 21;
    part.position.y() += 2.0;
    parts.push_back(part);
  }
  SkeletonClip clip = still_clip(parts);
  for (std::size_t j = 0; j < clip.joints.size(); ++j) clip.joints[j].name.insert(0, j < 21 ? "A_" : "B_");
  return clip;
}

TEST(RigMapCheck, ACompleteMapIsForThePersonWhoIsChosen) {
  const SkeletonClip clip = two_people();
  Hints hints = whole_map("A_");
  hints.person = "A_Hips";
  const Map map = map_rig(clip, hints);
  const Decision& chosen = decision(map, "person");
  EXPECT_EQ(chosen.answer, "A_Hips");
  EXPECT_EQ(chosen.confidence, 1.0);
  hints.person = "B_Hips";
  EXPECT_EQ(
      refusal<ConfigError>(clip, hints),
      "doll: the map is for joints below 'A_Hips', not for 'B_Hips': choose 'A_Hips', or give the map of "
      "'B_Hips'");
  hints.person = "C_Hips";
  const std::string unknown = refusal<ConfigError>(clip, hints);
  EXPECT_EQ(unknown.rfind("no person 'C_Hips' in doll", 0), 0U) << unknown;
}

TEST(RigMapCheck, ACompleteMapDoesNotHideThatNobodyHasTheName) {
  const SkeletonClip clip = still_clip(person());
  Hints hints = whole_map();
  hints.person = "Nobody";
  EXPECT_EQ(refusal<ConfigError>(clip, hints), "doll: holds one person, and none called 'Nobody'");
  hints.person = "Hips";
  EXPECT_EQ(map_rig(clip, hints).segments[Pelvis].joint, 0);
}

}  // namespace
}  // namespace panto::rig
