#pragma once
// What does not belong to a motion: the rest pose that exporters write before it, and cuts inside it.
// (docs/formats/bvh.md)

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "panto/rig/rig.hpp"
#include "panto/sample/skeleton.hpp"

namespace panto::io {

/// Why `first`, the first frame of a recording, is the exporter's rest pose and not motion; nothing when it
/// is motion. It is one when it is the rest pose in T standing exactly over the origin, or when it is the
/// rest pose, a T-pose or an A-pose (an N-pose: only for a jump of more than 0.5 m) and the motion does not
/// go on from it: the body jumps by more than 0.2 m or turns a joint by more than 0.1 rad, and by three times
/// the step after that. `third` may be null.
[[nodiscard]] std::optional<std::string> exporters_rest_pose(const SkeletonClip& clip, const rig::Map& map,
                                                             const SkeletonPose& first,
                                                             const SkeletonPose& second,
                                                             const SkeletonPose* third);

/// Frames whose pelvis is not where it can have come to since the frame before: further than 0.5 m, faster
/// than 20 m/s, and 5 times as far as just before. `pelvis`: its places [m], one a frame.
[[nodiscard]] std::vector<std::int64_t> find_cuts(const std::vector<Eigen::Vector3d>& pelvis, double rate_hz);

}  // namespace panto::io
