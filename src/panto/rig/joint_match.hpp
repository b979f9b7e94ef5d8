#pragma once
// Finds the joints of one skeleton that mean the same as joints of another although no human segment does:
// fingers, inner joints of spine and neck, and what has the same name.

#include <Eigen/Core>
#include <vector>

#include "panto/rig/rig.hpp"
#include "panto/sample/skeleton.hpp"

namespace panto::rig {

/// One joint that takes the rotation of another: R_target = from_source R_source from_source^T, both against
/// their parents since the rest pose.
struct JointMatch {
  int source = -1;                                            ///< -1: none
  Eigen::Matrix3d from_source = Eigen::Matrix3d::Identity();  ///< frame of the source's joint in the target's
};

/// Returns the match of every joint of `target`. Fingers match by hand, finger and place in the finger, other
/// joints by their names and the segment that carries them; joints with a segment of their own only by that
/// segment, and only where `Offset::aimed` says that it is not rigid.
[[nodiscard]] std::vector<JointMatch> match_joints(const SkeletonClip& source, const Rig& source_rig,
                                                   const SkeletonClip& target, const Rig& target_rig);

}  // namespace panto::rig
