#pragma once
// Points that are given around the hips have no path. The feet give one back.

#include <string>

#include "panto/sample/keypoint_sample.hpp"

namespace panto::keypoints {

/// Moves the points of every frame so that the lowest point of the feet is on the floor and stays in its
/// place, if the middle of the hips does not leave the origin. Returns a sentence about it; empty: the points
/// have a path, or no body with feet is seen. Jumps and slides do not show in such points.
[[nodiscard]] std::string give_path(KeypointClip& clip);

}  // namespace panto::keypoints
