#pragma once
// Finds how every measured segment of the human sits in the skeleton's joints, and the person's sizes: from
// bone directions, the hinges of knees and elbows, the rest pose if it is one, and the standing feet.

#include <vector>

#include "panto/rig/rig.hpp"
#include "panto/sample/segment_sample.hpp"
#include "panto/sample/skeleton.hpp"

namespace panto::rig {

/// Judges any pose of a clip's skeleton, from the places of its joints alone: legs straight down, feet
/// ahead, arms straight and level (T), down and out (A) or hanging (N), within some 20 degrees.
[[nodiscard]] RestPose judge_pose(const SkeletonClip& clip, const Map& map, const SkeletonPose& pose);

/// Finds offsets and sizes. @throws FormatError "<clip.name>: ..." when the clip does not determine them.
[[nodiscard]] Rig align_rig(const SkeletonClip& clip, Map map, const Offsets& known = {});

/// A pose of the rig's skeleton as the 23 segments of the human (`human_segment_names()`), in our frames and
/// world axes, metres. Segments that are not measured have no flag set; those spread over a spine have an
/// orientation and no position. Allocates nothing once `segments` has its size.
void rig_segments(const Rig& rig, const SkeletonPose& pose, std::vector<SegmentMotion>& segments);

}  // namespace panto::rig
