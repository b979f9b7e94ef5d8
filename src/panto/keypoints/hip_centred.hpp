#pragma once
// Points that are given around the hips have no path. The feet give one back.

#include <string>

#include "panto/sample/keypoint_sample.hpp"

namespace panto::keypoints {

/// Returns true if the middle of the hips does not leave the origin. To be asked before cleaning, which moves
/// points.
[[nodiscard]] bool is_hip_centred(const KeypointClip& clip);

/// Moves the points of every frame so that the lowest point of the feet is on the floor and the standing foot
/// stays in its place. Returns a sentence about it; empty: no body with feet is seen. Jumps and slides do not
/// show in such points.
[[nodiscard]] std::string give_path(KeypointClip& clip);

}  // namespace panto::keypoints
