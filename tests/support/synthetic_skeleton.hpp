#pragma once
// A walk of human66 as some exporter's skeleton: every joint's frame turned as one likes, any unit, y up.

#include <array>
#include <vector>

#include "panto/base/index.hpp"
#include "panto/model/human.hpp"
#include "panto/model/kinematics.hpp"
#include "panto/rig/map.hpp"
#include "panto/sample/skeleton.hpp"
#include "tests/support/recorded_motion.hpp"

namespace panto::test {

/// What an exporter made of a person.
struct SyntheticSkeleton {
  SkeletonClip clip;
  rig::Map map;
  std::vector<State> truth;
  std::array<Eigen::Matrix3d, kHumanSegmentCount> R_SJ;  ///< of every joint, seen from our segment
};

using SegmentRotations = std::array<Eigen::Matrix3d, kHumanSegmentCount>;

inline SegmentRotations identities() {
  SegmentRotations R;
  R.fill(Eigen::Matrix3d::Identity());
  return R;
}

/// World poses of the 23 joints in a file's axes and unit.
inline SkeletonPose skeleton_pose(const Model& model, Kinematics& kinematics, const State& state,
                                  const rig::Map& map, const SegmentRotations& R_SJ) {
  kinematics.update(state);
  SkeletonPose pose;
  for (std::size_t i = 0; i < kHumanSegmentCount; ++i) {
    const int link = model.link_index(kHumanSegmentNames[i]);
    pose.R_FJ.emplace_back(map.R_WF.transpose() * kinematics.R_WL(link) * R_SJ[i]);
    pose.p_FJ.emplace_back(map.R_WF.transpose() * kinematics.p_WL(link) / map.unit);
  }
  return pose;
}

/// `rest`: state of the model when the file's angles are all zero.
inline SyntheticSkeleton synthetic_skeleton(const Model& model, const std::vector<State>& truth,
                                            const SegmentRotations& R_SJ, const State& rest,
                                            const SubjectDimensions& subject, double unit = 0.01) {
  SyntheticSkeleton skeleton{{}, {}, truth, R_SJ};
  rig::Map& map = skeleton.map;
  map.family = "unknown";
  map.unit = unit;
  map.R_WF << 0, 0, 1, 1, 0, 0, 0, 1, 0;
  map.confidence = 1.0;
  skeleton.clip.name = "synthetic";
  for (std::size_t i = 0; i < kHumanSegmentCount; ++i) {
    map.segments[i].joint = static_cast<int>(i);
    SkeletonJoint joint{"j" + std::to_string(i), kHumanSegmentParent[i], {}};
    if (!subject.end[i].isZero()) joint.tips.emplace_back(R_SJ[i].transpose() * subject.end[i] / unit);
    skeleton.clip.joints.push_back(joint);
  }
  Kinematics kinematics(model);
  for (const State& state : truth) {
    skeleton.clip.frames.push_back(skeleton_pose(model, kinematics, state, map, R_SJ));
    skeleton.clip.times.push_back(to_seconds(state.t));
  }
  skeleton.clip.rest = skeleton_pose(model, kinematics, rest, map, R_SJ);
  return skeleton;
}

}  // namespace panto::test
