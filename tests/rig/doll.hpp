#pragma once
// A person built by hand of 21 named joints, and what the map of such a skeleton says.

#include <Eigen/Core>
#include <stdexcept>
#include <string>
#include <vector>

#include "panto/base/error.hpp"
#include "panto/rig/map.hpp"

namespace panto::test {

struct Part {
  const char* name;
  int parent;
  Eigen::Vector3d position;  // [m], z up, x forward, y left
};

inline SkeletonClip still_clip(const std::vector<Part>& parts) {
  SkeletonClip clip;
  clip.name = "doll";
  for (const Part& part : parts) {
    clip.joints.push_back({part.name, part.parent, {}});
    clip.rest.R_FJ.push_back(Eigen::Matrix3d::Identity());
    clip.rest.p_FJ.push_back(part.position);
  }
  clip.frames = {clip.rest};
  clip.times = {0.0};
  return clip;
}

// a person of 1.75 m in a T-pose with straight knees; feet point along x
inline std::vector<Part> person() {
  return {{"Hips", -1, {0, 0, 0.95}},
          {"Spine", 0, {0, 0, 1.05}},
          {"Chest", 1, {0, 0, 1.25}},
          {"Neck", 2, {0, 0, 1.5}},
          {"Head", 3, {0, 0, 1.6}},
          {"LeftShoulder", 2, {0, 0.03, 1.42}},
          {"LeftUpperArm", 5, {0, 0.18, 1.42}},
          {"LeftLowerArm", 6, {0, 0.48, 1.42}},
          {"LeftHand", 7, {0, 0.73, 1.42}},
          {"RightShoulder", 2, {0, -0.03, 1.42}},
          {"RightUpperArm", 9, {0, -0.18, 1.42}},
          {"RightLowerArm", 10, {0, -0.48, 1.42}},
          {"RightHand", 11, {0, -0.73, 1.42}},
          {"LeftUpperLeg", 0, {0, 0.09, 0.92}},
          {"LeftLowerLeg", 13, {0, 0.09, 0.5}},
          {"LeftFoot", 14, {0, 0.09, 0.08}},
          {"LeftToes", 15, {0.15, 0.09, 0.02}},
          {"RightUpperLeg", 0, {0, -0.09, 0.92}},
          {"RightLowerLeg", 17, {0, -0.09, 0.5}},
          {"RightFoot", 18, {0, -0.09, 0.08}},
          {"RightToes", 19, {0.15, -0.09, 0.02}}};
}

// the text of the refusal
template <typename Error = FormatError>
std::string refusal(const SkeletonClip& clip, const rig::Hints& hints = {}) {
  try {
    (void)rig::map_rig(clip, hints);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

inline const rig::Decision& decision(const rig::Map& map, const std::string& what) {
  for (const rig::Decision& decision : map.decisions) {
    if (decision.what == what) return decision;
  }
  throw std::logic_error("no decision " + what);
}

}  // namespace panto::test
