#include "panto/stream/vmc_bones.hpp"

#include <algorithm>
#include <vector>

#include "panto/base/text.hpp"

namespace panto::stream {
namespace {

using Eigen::Vector3d;
using Eigen::Vector4d;
using Segment = HumanSegment;

constexpr double kLowest = 0.3, kTallest = 3.0;  // [m]

struct Entry {
  std::string_view name;
  int parent;
  int segment;  // where the trunk's rule does not decide
};

constexpr std::array<Entry, at(kVmcBones)> kBones{{
    {"Hips", -1, Segment::Pelvis},
    {"Spine", VmcBone::Hips, -1},
    {"Chest", VmcBone::Spine, -1},
    {"UpperChest", VmcBone::Chest, -1},
    {"Neck", VmcBone::UpperChest, Segment::Neck},
    {"Head", VmcBone::Neck, Segment::Head},
    {"LeftShoulder", VmcBone::UpperChest, Segment::LeftShoulder},
    {"LeftUpperArm", VmcBone::LeftShoulder, Segment::LeftUpperArm},
    {"LeftLowerArm", VmcBone::LeftUpperArm, Segment::LeftForeArm},
    {"LeftHand", VmcBone::LeftLowerArm, Segment::LeftHand},
    {"RightShoulder", VmcBone::UpperChest, Segment::RightShoulder},
    {"RightUpperArm", VmcBone::RightShoulder, Segment::RightUpperArm},
    {"RightLowerArm", VmcBone::RightUpperArm, Segment::RightForeArm},
    {"RightHand", VmcBone::RightLowerArm, Segment::RightHand},
    {"LeftUpperLeg", VmcBone::Hips, Segment::LeftUpperLeg},
    {"LeftLowerLeg", VmcBone::LeftUpperLeg, Segment::LeftLowerLeg},
    {"LeftFoot", VmcBone::LeftLowerLeg, Segment::LeftFoot},
    {"LeftToes", VmcBone::LeftFoot, Segment::LeftToe},
    {"RightUpperLeg", VmcBone::Hips, Segment::RightUpperLeg},
    {"RightLowerLeg", VmcBone::RightUpperLeg, Segment::RightLowerLeg},
    {"RightFoot", VmcBone::RightLowerLeg, Segment::RightFoot},
    {"RightToes", VmcBone::RightFoot, Segment::RightToe},
}};

bool same_letters(std::string_view a, std::string_view b) noexcept {
  const auto small = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [&](char x, char y) { return small(x) == small(y); });
}

// The segments from `segment` up to, not including, the next that follows a bone.
std::vector<int> up_to_bone(int segment, const std::array<int, kHumanSegmentCount>& bone_of) {
  std::vector<int> path{segment};
  for (int up = kHumanSegmentParent[at(segment)]; up >= 0 && bone_of[at(up)] < 0;
       up = kHumanSegmentParent[at(up)]) {
    path.push_back(up);
  }
  return path;
}

// Height of the head's joint above an ankle in the T-pose; unset where the chain is not whole.
std::optional<double> head_above_ankle(const VmcOffsets& offsets, int foot) {
  double height = 0.0;
  for (const int end : {static_cast<int>(VmcBone::Head), foot}) {
    const double sign = end == foot ? -1.0 : 1.0;
    for (int bone = end; bone != VmcBone::Hips; bone = vmc_parent(bone, offsets.bones)) {
      if (bone < 0 || !offsets.bones.test(at(bone)) || offsets.p[at(bone)].isZero(1e-6)) return {};
      height += sign * offsets.p[at(bone)].z();
    }
  }
  return height;
}

double average_head_above_ankle() {
  const SubjectDimensions average = scaled_subject(1.0);
  double height = 0.0;
  for (int up = Segment::Head; up > 0; up = kHumanSegmentParent[at(up)]) height += average.origin[at(up)].z();
  for (int up = Segment::LeftFoot; up > 0; up = kHumanSegmentParent[at(up)])
    height -= average.origin[at(up)].z();
  return height;
}

}  // namespace

std::string_view vmc_bone_name(int bone) noexcept { return kBones[at(bone)].name; }

int find_vmc_bone(std::string_view name) noexcept {
  const auto found = std::find_if(kBones.begin(), kBones.end(),
                                  [&](const Entry& entry) { return same_letters(entry.name, name); });
  return found == kBones.end() ? -1 : static_cast<int>(found - kBones.begin());
}

int vmc_parent(int bone, const VmcBones& bones) noexcept {
  int up = kBones[at(bone)].parent;
  while (up >= 0 && !bones.test(at(up))) up = kBones[at(up)].parent;
  return up;
}

std::array<int, kHumanSegmentCount> vmc_bones_of_segments(const VmcBones& bones) noexcept {
  std::array<int, kHumanSegmentCount> bone_of;
  bone_of.fill(-1);
  for (int bone = 0; bone < kVmcBones; ++bone) {
    const int segment = kBones[at(bone)].segment;
    if (segment >= 0 && bones.test(at(bone))) bone_of[at(segment)] = bone;
  }
  if (bones.test(VmcBone::Spine)) bone_of[Segment::L5] = VmcBone::Spine;
  if (bones.test(VmcBone::Chest)) bone_of[Segment::T12] = VmcBone::Chest;
  for (const int segment : {Segment::L5, Segment::T12}) {
    if (bone_of[at(segment)] >= 0) bone_of[Segment::T8] = bone_of[at(segment)];
  }
  if (bones.test(VmcBone::UpperChest)) bone_of[Segment::T8] = VmcBone::UpperChest;
  for (const int segment : {Segment::L5, Segment::T12}) {
    if (bone_of[at(segment)] == bone_of[Segment::T8]) bone_of[at(segment)] = -1;
  }
  return bone_of;
}

Vector3d from_unity(const Vector3d& p) noexcept { return {p.z(), -p.x(), p.y()}; }
Vector3d to_unity(const Vector3d& p) noexcept { return {-p.y(), p.z(), p.x()}; }

Vector4d wxyz_from_unity(const Vector4d& xyzw) noexcept { return {xyzw[3], -xyzw[2], xyzw[0], -xyzw[1]}; }
Vector4d unity_from_wxyz(const Vector4d& wxyz) noexcept { return {wxyz[2], -wxyz[3], -wxyz[1], wxyz[0]}; }

std::optional<SubjectDimensions> vmc_person(const VmcOffsets& offsets, std::string& why) {
  const auto left = head_above_ankle(offsets, VmcBone::LeftFoot);
  const auto right = head_above_ankle(offsets, VmcBone::RightFoot);
  if (!left && !right) {
    why = "The stream has no bone lengths from the head to a foot: the person's size is not known.";
    return std::nullopt;
  }
  const double span = left && right ? 0.5 * (*left + *right) : left.value_or(right.value_or(0.0));
  const double height = span / average_head_above_ankle();
  if (!(height >= kLowest && height <= kTallest)) {
    why = "The bones make a person of " + decimals(height, 2) + " m: not used, must be 0.3 to 3 m.";
    return std::nullopt;
  }

  SubjectDimensions person = scaled_subject(height);
  const SubjectDimensions average = person;
  const auto bone_of = vmc_bones_of_segments(offsets.bones);
  for (int segment = 1; segment < kHumanSegmentCount; ++segment) {
    const int bone = bone_of[at(segment)];
    if (bone < 0 || vmc_parent(bone, offsets.bones) < 0) continue;
    const Vector3d& offset = offsets.p[at(bone)];
    if (!offset.allFinite() || offset.isZero(1e-6) || offset.norm() > height) continue;
    const std::vector<int> path = up_to_bone(segment, bone_of);
    double whole = 0.0;
    for (const int part : path) whole += average.origin[at(part)].norm();
    for (const int part : path) person.origin[at(part)] = average.origin[at(part)].norm() / whole * offset;
  }
  return person;
}

}  // namespace panto::stream
