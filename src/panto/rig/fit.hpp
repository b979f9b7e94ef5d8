#pragma once
// Finds the frame of every measured human segment in its skeleton joint, and the person's sizes: from bone
// directions, knee and elbow hinges, the rest pose if it is a known one, and feet in stance.

#include <vector>

#include "panto/rig/rig.hpp"
#include "panto/sample/segment_sample.hpp"
#include "panto/sample/skeleton.hpp"

namespace panto::rig {

/// Judges any pose of a clip's skeleton from joint positions alone: legs straight down, feet forward, arms
/// straight and level (T), down and out (A) or hanging (N), within about 20 degrees.
[[nodiscard]] RestPose judge_pose(const SkeletonClip& clip, const Map& map, const SkeletonPose& pose);

/// Finds offsets and body dimensions. @throws FormatError "<clip.name>: ..." if the clip does not determine
/// them.
[[nodiscard]] Rig align_rig(const SkeletonClip& clip, Map map, const Offsets& known = {});

/// Converts a pose of the rig's skeleton to the 23 human segments (`human_segment_names()`), in Panto's
/// segment frames and world axes, metres. Segments that are not measured have no flag set; segments spread
/// over a spine have an orientation and no position. Does not allocate once `segments` has its size.
void rig_segments(const Rig& rig, const SkeletonPose& pose, std::vector<SegmentMotion>& segments);

}  // namespace panto::rig
