// Recordings of part of a person: without legs, without arms, with one arm.

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "panto/base/error.hpp"
#include "panto/rig/map.hpp"
#include "panto/rig/persons.hpp"
#include "tests/support/rig_clips.hpp"

namespace panto {
namespace {

using enum HumanSegment::Index;

struct Cut {
  const char* what;
  std::vector<int> segments;  ///< whose joints are cut off, with all below them
};

const std::vector<Cut>& cuts() {
  static const std::vector<Cut> all{{"legs", {RightUpperLeg, LeftUpperLeg}},
                                    {"arms", {RightUpperArm, LeftUpperArm}},
                                    {"right arm", {RightUpperArm}},
                                    {"left arm", {LeftUpperArm}},
                                    {"right leg", {RightUpperLeg}}};
  return all;
}

// the clip without those joints and all below them
SkeletonClip without(const SkeletonClip& clip, const std::vector<int>& cut) {
  std::vector<int> kept;
  std::vector<unsigned char> gone(clip.joints.size(), 0);
  for (std::size_t j = 0; j < clip.joints.size(); ++j) {
    const int parent = clip.joints[j].parent;
    gone[j] = std::find(cut.begin(), cut.end(), static_cast<int>(j)) != cut.end() ||
              (parent >= 0 && gone[at(parent)] != 0);
    if (gone[j] == 0) kept.push_back(static_cast<int>(j));
  }
  return rig::joints_alone(clip, kept);
}

bool is_sided(int segment) {
  return kHumanSegmentNames[at(segment)].starts_with("Right") ||
         kHumanSegmentNames[at(segment)].starts_with("Left");
}

std::string joint_name(const SkeletonClip& clip, int joint) {
  return joint < 0 ? "" : clip.joints[at(joint)].name;
}

class PartOfAPerson : public testing::TestWithParam<int> {};

TEST_P(PartOfAPerson, IsReadAsThePartsOfTheWholeOneAre) {
  const test::RigClip& source = test::rig_clips()[at(GetParam())];
  PANTO_NEED_DATA(source.file);
  const test::RigVariant whole = test::load_rig(source);
  const rig::Map expected = rig::map_rig(whole.clip);
  for (const Cut& cut : cuts()) {
    SCOPED_TRACE(std::string(source.file).append(" without ").append(cut.what));
    std::vector<int> joints;
    for (const int segment : cut.segments) joints.push_back(whole.truth.joint[at(segment)]);
    const SkeletonClip part = without(whole.clip, joints);
    const rig::Map map = rig::map_rig(part);
    EXPECT_EQ(map.R_WF, expected.R_WF) << "up";
    EXPECT_EQ(map.family, expected.family);
    EXPECT_NEAR(map.unit, expected.unit, 1e-9) << map.family;
    EXPECT_EQ(map.names_swapped, expected.names_swapped);
    for (int s = 0; s < kHumanSegmentCount; ++s) {
      if (!is_sided(s) && s != Pelvis && s != Head) continue;
      const std::string wanted = joint_name(whole.clip, expected.segments[at(s)].joint),
                        found = joint_name(part, map.segments[at(s)].joint);
      const bool there = std::any_of(part.joints.begin(), part.joints.end(),
                                     [&](const SkeletonJoint& joint) { return joint.name == wanted; });
      if (found.empty() && (s == RightShoulder || s == LeftShoulder))
        continue;  // a collar bone without an arm
      EXPECT_EQ(found, there ? wanted : "") << kHumanSegmentNames[at(s)];
    }
    ASSERT_FALSE(map.decisions.empty());
    EXPECT_EQ(map.decisions.front().reason, std::string("no ").append(cut.what).append(" in the file"));
    for (const int joint : map.unmapped) EXPECT_LT(at(joint), part.joints.size());
  }
}

INSTANTIATE_TEST_SUITE_P(Rigs, PartOfAPerson, testing::Range(0, static_cast<int>(test::rig_clips().size())),
                         [](const auto& one) { return "Clip" + std::to_string(one.index); });

TEST(PartOfAPersonRefused, WhereNamesTellNoLimbs) {
  PANTO_NEED_DATA("bvh/cmu/131_01.bvh");
  const test::RigVariant whole = test::load_rig(test::rig_clips()[6]);
  SkeletonClip part =
      without(whole.clip, {whole.truth.joint[RightUpperArm], whole.truth.joint[LeftUpperArm]});
  for (std::size_t j = 0; j < part.joints.size(); ++j) part.joints[j].name = "bone_" + std::to_string(j);
  EXPECT_THROW((void)rig::map_rig(part), FormatError) << "a table has four legs too";
}

}  // namespace
}  // namespace panto
