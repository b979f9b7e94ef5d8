#pragma once
// Capsules: segments with a radius. They stand for the shapes of links in distances and overlaps.

#include <Eigen/Core>
#include <string>

#include "panto/model/kinematics.hpp"

namespace panto {

/// A point that moves with a link.
struct LinkPoint {
  int link = 0;
  Eigen::Vector3d p_L = Eigen::Vector3d::Zero();  ///< in the link's frame [m]
};

/// All points within `radius` of the segment between two points, which may be on different links.
struct Capsule {
  std::string name;
  LinkPoint from, to;
  double radius = 0.0;  ///< [m], >= 0
};

/// The nearest points of two segments.
struct NearestPoints {
  double on_a = 0.0, on_b = 0.0;  ///< share of the way along each segment: 0 its first end, 1 its last
  Eigen::Vector3d a = Eigen::Vector3d::Zero(), b = Eigen::Vector3d::Zero();
  double distance = 0.0;  ///< between them [m]
};

/// Returns the nearest points of the segments a0 a1 and b0 b1; either may be a point. Parallel segments that
/// lie beside each other touch in the middle of their common part.
[[nodiscard]] NearestPoints nearest_points(const Eigen::Vector3d& a0, const Eigen::Vector3d& a1,
                                           const Eigen::Vector3d& b0, const Eigen::Vector3d& b1) noexcept;

/// Returns the smallest distance between the segments a0 a1 and b0 b1 [m]; either may be a point.
[[nodiscard]] double segment_distance(const Eigen::Vector3d& a0, const Eigen::Vector3d& a1,
                                      const Eigen::Vector3d& b0, const Eigen::Vector3d& b1) noexcept;

/// Returns the depth of the overlap of two capsules [m]; negative: their distance. `kinematics` must be up to
/// date.
[[nodiscard]] double overlap(const Capsule& a, const Capsule& b, const Kinematics& kinematics) noexcept;

/// Returns the height of the lowest point of a model at `state` [m]: of its links' shapes, and of their
/// origins.
[[nodiscard]] double lowest_point(const Model& model, const State& state);

}  // namespace panto
