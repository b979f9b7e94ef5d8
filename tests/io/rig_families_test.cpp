// Skeletons that the rules of the rig map were not made from: families of which there is no recording, on
// people whose true poses are known.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <map>

#include "panto/base/error.hpp"
#include "panto/rig/fit.hpp"
#include "panto/rig/map.hpp"
#include "panto/rig/rig.hpp"
#include "tests/support/synthetic_rig.hpp"
#include "tests/support/test_data.hpp"

namespace panto {
namespace {

using enum HumanSegment::Index;

using Eigen::Vector3d;
using test::RigTruth;
using test::RigVariant;
using test::SyntheticRig;

const rig::Decision* decision(const rig::Map& map, const std::string& what) {
  for (const rig::Decision& decision : map.decisions) {
    if (decision.what == what) return &decision;
  }
  return nullptr;
}

// two joints at one place for the whole clip, turning alike
bool same(const SkeletonClip& clip, int a, int b) {
  if (a == b) return true;
  if (a < 0 || b < 0) return false;
  const auto relative = [&](const SkeletonPose& pose) -> Eigen::Matrix3d {
    return pose.R_FJ[at(a)].transpose() * pose.R_FJ[at(b)];
  };
  double size = 0.0;
  for (const Vector3d& p : clip.frames.front().p_FJ)
    size = std::max(size, (p - clip.frames.front().p_FJ[at(a)]).norm());
  const Eigen::Matrix3d first = relative(clip.frames.front());
  return std::all_of(clip.frames.begin(), clip.frames.end(), [&](const SkeletonPose& pose) {
    return (pose.p_FJ[at(a)] - pose.p_FJ[at(b)]).norm() < 1e-6 * size &&
           so3::distance(first, relative(pose)) < 1e-6;
  });
}

// a joint without a name that ends a limb and never turns: hand, toe or end, nobody knows
bool is_end(const RigVariant& variant, int joint) {
  const SkeletonClip& clip = variant.clip;
  if (variant.truth.named || joint < 0 || clip.joints[at(joint)].parent < 0) return false;
  const auto relative = [&](const SkeletonPose& pose) -> Eigen::Matrix3d {
    return pose.R_FJ[at(clip.joints[at(joint)].parent)].transpose() * pose.R_FJ[at(joint)];
  };
  const Eigen::Matrix3d first = relative(clip.frames.front());
  const bool leaf = std::none_of(clip.joints.begin(), clip.joints.end(),
                                 [&](const SkeletonJoint& other) { return other.parent == joint; });
  return leaf && std::all_of(clip.frames.begin(), clip.frames.end(), [&](const SkeletonPose& pose) {
           return so3::distance(first, relative(pose)) < 1e-6;
         });
}

// what is wrong with the joints, axes or sides of a map; nothing when all is right
std::string judge_map(const RigVariant& variant, const rig::Map& map) {
  const RigTruth& truth = variant.truth;
  const SkeletonClip& clip = variant.clip;
  const auto name = [&](int joint) { return joint < 0 ? std::string("-") : clip.joints[at(joint)].name; };
  std::string wrong;
  for (int s = 0; s < kHumanSegmentCount; ++s) {
    const rig::MapEntry& entry = map.segments[at(s)];
    if (s == L5 || s == L3 || s == T12) {
      const auto on_spine = [&](int joint) {
        return same(clip, joint, truth.joint[Pelvis]) ||
               std::any_of(truth.spine.begin(), truth.spine.end(),
                           [&](int k) { return same(clip, joint, k); });
      };
      if (!on_spine(entry.joint) || (entry.next >= 0 && !on_spine(entry.next)))
        wrong += " " + std::string(kHumanSegmentNames[at(s)]) + "=" + name(entry.joint);
      continue;
    }
    const int expected = s == T8 ? truth.spine.back() : truth.joint[at(s)];
    if (expected < 0 && is_end(variant, entry.joint)) continue;
    if (entry.next >= 0 || !same(clip, entry.joint, expected))
      wrong +=
          " " + std::string(kHumanSegmentNames[at(s)]) + "=" + name(entry.joint) + " not " + name(expected);
  }
  const rig::Decision* up = decision(map, "up axis");
  if (map.R_WF != rig::world_from_file(truth.up) && up->confidence >= 0.5)
    wrong += " up=" + up->answer + " " + up->reason;
  const bool unit_right = std::abs(std::log(map.unit / truth.unit)) < std::log(1.35);
  if (!unit_right && decision(map, "unit of length")->confidence >= 0.5)
    wrong += " unit=" + std::to_string(map.unit / truth.unit);
  if (map.names_swapped != (truth.named && truth.names_swapped)) wrong += " swap";
  return wrong;
}

// largest angle of any frame [deg] between bones as they are tracked and as they are
double worst_direction(const RigVariant& variant, const rig::Rig& rig, std::string& where) {
  const RigTruth& truth = variant.truth;
  double worst = 0.0;
  const auto compare = [&](const Vector3d& found, const Vector3d& wanted, std::string_view what) {
    const double angle = std::atan2(found.cross(wanted).norm(), found.dot(wanted)) / test::kDegree;
    if (angle <= worst) return;
    worst = angle;
    where = what;
  };
  std::vector<SegmentMotion> segments;
  for (const SkeletonPose& pose : variant.clip.frames) {
    rig::rig_segments(rig, pose, segments);
    const auto true_way = [&](int from, int to) -> Vector3d {
      return rig::world_from_file(truth.up) *
             (pose.p_FJ[at(truth.joint[at(to)])] - pose.p_FJ[at(truth.joint[at(from)])]);
    };
    for (const int s : {RightUpperArm, RightForeArm, LeftUpperArm, LeftForeArm, RightUpperLeg, RightLowerLeg,
                        LeftUpperLeg, LeftLowerLeg}) {
      if (truth.joint[at(s + 1)] < 0) continue;
      const Vector3d along = s >= RightUpperLeg  ? Vector3d(-Vector3d::UnitZ())
                             : s >= LeftShoulder ? Vector3d(Vector3d::UnitY())
                                                 : Vector3d(-Vector3d::UnitY());
      compare(segments[at(s)].R_WS * along, true_way(s, s + 1), kHumanSegmentNames[at(s)]);
    }
    compare(segments[Neck].p_WS - segments[Pelvis].p_WS, true_way(Pelvis, Neck), "trunk");
  }
  return worst;
}

bool travels(test::Act act) {
  return act == test::Act::Walk || act == test::Act::FastWalk || act == test::Act::Run ||
         act == test::Act::Backwards || act == test::Act::TStart;
}

// nothing in the file tells: who lies, or stays where a rest pose lies; who has neither names nor feet
bool may_be_refused(const SyntheticRig& rig) {
  if (rig.act == test::Act::Lie || (rig.rest_lies && !travels(rig.act))) return true;
  return !rig.variant.truth.named && !rig.has_toe_ends;
}

struct Tally {
  int correct = 0, refused = 0, rightly_refused = 0, wrong = 0, unsure = 0;
};

TEST(RigFamilies, AreUnderstoodWithoutEverHavingBeenSeen) {
  const int total = test::scaled_numerical(400);
  test::Rng rng(4242);
  Tally tally;
  std::map<std::string, Tally> by_act;
  for (int i = 0; i < total; ++i) {
    const SyntheticRig rig = test::random_rig(rng);
    const RigVariant& variant = rig.variant;
    Tally& act = by_act[std::string(test::kActNames[static_cast<std::size_t>(rig.act)])];
    try {
      const rig::Map map = rig::map_rig(variant.clip);
      std::string wrong = judge_map(variant, map), where;
      const bool sure = decision(map, "up axis")->confidence >= 0.5;
      if (wrong.empty() && map.R_WF == rig::world_from_file(variant.truth.up)) {
        const double worst = worst_direction(variant, rig::align_rig(variant.clip, map), where);
        if (!(worst <= 3.0)) wrong = " " + where + " off by " + std::to_string(worst) + " deg";
      }
      for (Tally* t : {&tally, &act}) {
        ++(wrong.empty() ? t->correct : t->wrong);
        t->unsure += sure ? 0 : 1;
      }
      EXPECT_EQ(wrong, "") << i << ": " << variant.how;
    } catch (const FormatError& error) {
      const bool rightly = may_be_refused(rig);
      for (Tally* t : {&tally, &act}) ++(rightly ? t->rightly_refused : t->refused);
      std::printf("refused%s %d: %s\n  %s\n", rightly ? " rightly" : "", i, variant.how.c_str(),
                  error.what());
    }
  }
  by_act["all"] = tally;
  for (const auto& [name, t] : by_act) {
    std::printf("%-10s %4d correct (%d of them unsure of up), %3d refused, %3d rightly refused, %3d wrong\n",
                name.c_str(), t.correct, t.unsure, t.refused, t.rightly_refused, t.wrong);
  }
  EXPECT_EQ(tally.wrong, 0);
  EXPECT_LE(tally.refused, 0.05 * total);
}

}  // namespace
}  // namespace panto
