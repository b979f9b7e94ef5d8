#pragma once
// Things in the world that a robot keeps out of, and their distance from a segment.

#include <Eigen/Core>
#include <string>

#include "panto/model/capsule.hpp"

namespace panto {

/// A fixed shape in the world.
struct Obstacle {
  enum class Shape : unsigned char {
    Plane,    ///< all points whose z in the obstacle's frame is below 0
    Capsule,  ///< all points within `radius` of the segment from `p_WO` to `end_W`; a sphere: both are equal
    Box       ///< all points within `half` of `p_WO` along the axes of `R_WO`
  };
  std::string name;
  Shape shape = Shape::Plane;
  Eigen::Vector3d p_WO = Eigen::Vector3d::Zero();  ///< [m]
  Eigen::Matrix3d R_WO = Eigen::Matrix3d::Identity();
  Eigen::Vector3d end_W = Eigen::Vector3d::Zero();  ///< [m]
  double radius = 0.0;                              ///< [m], >= 0
  Eigen::Vector3d half = Eigen::Vector3d::Zero();   ///< half the box's sides [m], > 0
  bool given = false;  ///< the motion knows it: no part gets deeper into it than it was already
};

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
