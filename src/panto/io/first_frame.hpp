#pragma once
// Finds frames that do not belong to a motion: the exporter's rest pose before it, and cuts inside it.
// (docs/formats/bvh.md)

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "panto/rig/rig.hpp"
#include "panto/sample/skeleton.hpp"

namespace panto::io {

/// Explains why `first`, the first frame of a recording, is the exporter's rest pose; nothing when it is
/// motion. It is a rest pose when it is the T-shaped rest pose exactly over the origin, or when it is the
/// rest pose, a T-pose or an A-pose (an N-pose only for a jump of more than 0.5 m) and the motion does not
/// continue it: the body jumps by more than 0.2 m or turns a joint by more than 0.1 rad, and by three times
/// the following step. `third` may be null.
[[nodiscard]] std::optional<std::string> exporters_rest_pose(const SkeletonClip& clip, const rig::Map& map,
                                                             const SkeletonPose& first,
                                                             const SkeletonPose& second,
                                                             const SkeletonPose* third);

/// Returns the frames that the pelvis cannot have reached since the frame before: further than 0.5 m, faster
/// than 20 m/s, and 5 times as far as in the previous step. `pelvis`: its positions [m], one per frame.
[[nodiscard]] std::vector<std::int64_t> find_cuts(const std::vector<Eigen::Vector3d>& pelvis, double rate_hz);

}  // namespace panto::io
