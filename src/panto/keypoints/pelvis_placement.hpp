#pragma once
// Places a pelvis by its markers and by its thighs: skin slides over the pelvis, a thigh keeps its length.

#include <Eigen/Core>
#include <array>
#include <span>

#include "panto/keypoints/point_geometry.hpp"

namespace panto::keypoints {

/// A thigh: its hip joint is fixed in the pelvis, its knee is known. A NaN knee is left out.
struct Thigh {
  Eigen::Vector3d hip;   ///< in the frame of the pelvis [m]
  Eigen::Vector3d knee;  ///< in the world [m]
  double length = 0.0;   ///< [m]
};

/// Returns the pose with the least sum of squares of the markers' distances from their places in `shape` and
/// of the thighs' differences from their lengths, all of equal weight; NaN markers are left out. `start`: the
/// pose by markers alone. (What OpenSim's inverse kinematics does for a whole body, for the pelvis alone.)
[[nodiscard]] RigidPose place_pelvis(std::span<const Eigen::Vector3d> shape,
                                     std::span<const Eigen::Vector3d> markers,
                                     const std::array<Thigh, 2>& thighs, const RigidPose& start);

}  // namespace panto::keypoints
