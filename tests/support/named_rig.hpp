#pragma once
// Maps of the recorded skeletons by the names that their files use: independent of `map_rig`, to judge what
// is built on a map by itself.

#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "panto/ik/rig_map.hpp"

namespace panto::test {

/// Segment, joint and, where the segment is spread, the next joint and the share.
struct NamedSegment {
  int segment;
  std::string joint;
  std::string next = {};
  double share = 0.0;
};

inline int find_joint(const SkeletonClip& clip, std::string_view name) {
  for (std::size_t j = 0; j < clip.joints.size(); ++j) {
    if (clip.joints[j].name == name) return static_cast<int>(j);
  }
  return -1;
}

/// Limbs in the order of the segments: clavicle to hand, thigh to toe; `{}` in a name is the side.
inline void add_limbs(std::vector<NamedSegment>& named, const std::vector<std::string>& arm,
                      const std::vector<std::string>& leg, const std::string& right,
                      const std::string& left) {
  const auto side = [](std::string name, const std::string& word) {
    return name.replace(name.find("{}"), 2, word);
  };
  for (std::size_t i = 0; i < arm.size(); ++i) {
    const int segment = static_cast<int>(i);
    named.push_back({RightShoulder + segment, side(arm[i], right)});
    named.push_back({LeftShoulder + segment, side(arm[i], left)});
  }
  for (std::size_t i = 0; i < leg.size(); ++i) {
    const int segment = static_cast<int>(i);
    named.push_back({RightUpperLeg + segment, side(leg[i], right)});
    named.push_back({LeftUpperLeg + segment, side(leg[i], left)});
  }
}

/// Share of the turn from the first to the second joint of a neck of two that leaves the head where it was.
inline double neck_share(const SkeletonClip& clip, const std::string& first, const std::string& second,
                         const std::string& head) {
  const auto place = [&](const std::string& name) {
    return clip.rest.p_FJ[static_cast<std::size_t>(find_joint(clip, name))];
  };
  const double lower = (place(second) - place(first)).norm(), upper = (place(head) - place(second)).norm();
  return upper / (lower + upper);
}

/// The map of a skeleton of one of the families in the test data.
inline RigMap named_map(const SkeletonClip& clip) {
  std::vector<NamedSegment> named;
  RigMap map;
  map.R_WF << 0, 0, 1, 1, 0, 0, 0, 1, 0;  // y up
  const auto has = [&](const char* name) { return find_joint(clip, name) >= 0; };
  if (has("CC_Base_Hip")) {
    map.family = "reallusion";
    map.unit = 0.01;
    const std::string b = "CC_Base_";
    named = {{Pelvis, b + "Hip"},
             {L5, b + "Waist"},
             {L3, b + "Waist", b + "Spine01", 0.5},
             {T12, b + "Spine01"},
             {T8, b + "Spine02"},
             {Neck, b + "NeckTwist01", b + "NeckTwist02",
              neck_share(clip, b + "NeckTwist01", b + "NeckTwist02", b + "Head")},
             {Head, b + "Head"}};
    add_limbs(named, {b + "{}_Clavicle", b + "{}_Upperarm", b + "{}_Forearm", b + "{}_Hand"},
              {b + "{}_Thigh", b + "{}_Calf", b + "{}_Foot", b + "{}_ToeBase"}, "R", "L");
  } else if (has("LHipJoint") && has("LeftWrist")) {
    map.family = "cmu";
    const double thigh = clip.rest.p_FJ[static_cast<std::size_t>(find_joint(clip, "Head"))].norm();
    map.unit = thigh < 2.0 ? 1.0 : 0.056444;
    named = {{Pelvis, "Hips"}, {L5, "lowerback"}, {L3, "lowerback", "Chest", 0.5},
             {T12, "Chest"},   {T8, "Chest2"},    {Neck, "Neck"},
             {Head, "Head"}};
    add_limbs(named, {"{}Collar", "{}Shoulder", "{}Elbow", "{}Wrist"},
              {"{}Hip", "{}Knee", "{}Ankle", "{}Toe"}, "Right", "Left");
  } else if (has("LHipJoint")) {
    map.family = "cmu";
    map.unit = 0.056444;
    named = {{Pelvis, "Hips"}, {L5, "LowerBack"}, {L3, "LowerBack", "Spine", 0.5},
             {T12, "Spine"},   {T8, "Spine1"},    {Neck, "Neck1"},
             {Head, "Head"}};
    add_limbs(named, {"{}Shoulder", "{}Arm", "{}ForeArm", "{}Hand"},
              {"{}UpLeg", "{}Leg", "{}Foot", "{}ToeBase"}, "Right", "Left");
  } else if (has("Chest4")) {
    map.family = "xsens";
    map.unit = 0.01;
    named = {{Pelvis, "Hips"}, {L5, "Chest"},  {L3, "Chest2"}, {T12, "Chest3"},
             {T8, "Chest4"},   {Neck, "Neck"}, {Head, "Head"}};
    add_limbs(named, {"{}Collar", "{}Shoulder", "{}Elbow", "{}Wrist"},
              {"{}Hip", "{}Knee", "{}Ankle", "{}Toe"}, "Right", "Left");
  } else if (has("mixamorig:Hips")) {
    map.family = "mixamo";
    map.unit = 0.01;
    const std::string m = "mixamorig:";
    named = {{Pelvis, m + "Hips"}, {L5, m + "Spine"},  {L3, m + "Spine", m + "Spine1", 0.5},
             {T12, m + "Spine1"},  {T8, m + "Spine2"}, {Neck, m + "Neck"},
             {Head, m + "Head"}};
    add_limbs(named, {m + "{}Shoulder", m + "{}Arm", m + "{}ForeArm", m + "{}Hand"},
              {m + "{}UpLeg", m + "{}Leg", m + "{}Foot", m + "{}ToeBase"}, "Right", "Left");
  } else if (has("Spine3")) {  // z up, inches
    map.family = "lafan";
    map.unit = 0.0254;
    map.R_WF.setIdentity();
    named = {{Pelvis, "Hips"}, {L5, "Spine"},
             {L3, "Spine1"},   {T12, "Spine2"},
             {T8, "Spine3"},   {Neck, "Neck", "Neck1", neck_share(clip, "Neck", "Neck1", "Head")},
             {Head, "Head"}};
    add_limbs(named, {"{}Shoulder", "{}Arm", "{}ForeArm", "{}Hand"},
              {"{}UpLeg", "{}Leg", "{}Foot", "{}ToeBase"}, "Right", "Left");
  } else if (has("Spine1")) {  // two spine joints, no toes
    map.family = "motionbuilder";
    map.unit = 0.01;
    named = {{Pelvis, "Hips"}, {L5, "Hips", "Spine", 0.5},
             {L3, "Spine"},    {T12, "Spine", "Spine1", 0.5},
             {T8, "Spine1"},   {Neck, "Neck"},
             {Head, "Head"}};
    add_limbs(named, {"{}Shoulder", "{}Arm", "{}ForeArm", "{}Hand"}, {"{}UpLeg", "{}Leg", "{}Foot"}, "Right",
              "Left");
  } else {
    throw std::runtime_error(clip.name + ": no family of the test data");
  }
  std::vector<unsigned char> used(clip.joints.size(), 0);
  for (const NamedSegment& s : named) {
    RigMapEntry& entry = map.segments[static_cast<std::size_t>(s.segment)];
    entry.joint = find_joint(clip, s.joint);
    if (entry.joint < 0) throw std::runtime_error(clip.name + ": no joint " + s.joint);
    used[static_cast<std::size_t>(entry.joint)] = 1;
    if (!s.next.empty()) entry.next = find_joint(clip, s.next);
    entry.share = s.share;
    entry.confidence = 1.0;
    entry.reason = "named";
  }
  for (std::size_t j = 0; j < used.size(); ++j) {
    if (used[j] == 0) map.unmapped.push_back(static_cast<int>(j));
  }
  map.confidence = 1.0;
  return map;
}

}  // namespace panto::test
