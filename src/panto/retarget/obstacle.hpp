#pragma once
// The distance of segments from obstacles.

#include <Eigen/Core>

#include "panto/motion/passes.hpp"

namespace panto {

/// @throws ConfigError for numbers that are not finite, a frame that is no rotation, and sizes out of range.
void check(const Obstacle& obstacle);

/// The point of a segment nearest to, or deepest in, an obstacle.
struct ObstacleGap {
  double distance = 0.0;                                ///< from the surface; negative: inside [m]
  double share = 0.0;                                   ///< of the way along the segment
  Eigen::Vector3d point_W = Eigen::Vector3d::Zero();    ///< on the segment
  Eigen::Vector3d normal_W = Eigen::Vector3d::UnitZ();  ///< unit, out of the obstacle
};

/// Returns the gap between an obstacle and the segment a b.
[[nodiscard]] ObstacleGap obstacle_gap(const Obstacle& obstacle, const Eigen::Vector3d& a,
                                       const Eigen::Vector3d& b) noexcept;

}  // namespace panto
