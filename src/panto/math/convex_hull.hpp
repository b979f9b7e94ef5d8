#pragma once
// Convex hulls of points, and samples of their surfaces.

#include <Eigen/Core>
#include <array>
#include <vector>

namespace panto {

/// A convex body: its corners, and its surface as triangles, counter-clockwise seen from outside. Without
/// volume it has no triangles, and `points` are those that were given.
struct ConvexHull {
  std::vector<Eigen::Vector3d> points;
  std::vector<std::array<int, 3>> triangles;
  std::vector<Eigen::Vector4d> planes;  ///< of the triangles: outward normal and its offset from the origin
};

/// Returns the points that are farthest in at least one of `directions` evenly spread directions, in the
/// order of the input, without repetitions. Leaves out points that are not finite.
[[nodiscard]] std::vector<Eigen::Vector3d> extreme_points(const std::vector<Eigen::Vector3d>& points,
                                                          int directions);

/// Returns the convex hull, by adding one point after the other, each moved by up to 1e-5 of the
/// size so that none is on the plane of others; points nearer than 3e-4 of the size are one. Costs the
/// number of points times that of the triangles: reduce many points by `extreme_points` first.
[[nodiscard]] ConvexHull convex_hull(const std::vector<Eigen::Vector3d>& points);

/// Returns how far a point is outside the farthest plane: its depth if negative, at most its distance if
/// positive; infinity for a hull without triangles.
[[nodiscard]] double outside(const ConvexHull& hull, const Eigen::Vector3d& p) noexcept;

/// Returns the area of the triangles [m^2].
[[nodiscard]] double area(const ConvexHull& hull) noexcept;

/// Returns `count` points spread evenly over the triangles, always the same; none without triangles.
[[nodiscard]] std::vector<Eigen::Vector3d> sample_surface(const ConvexHull& hull, int count);

}  // namespace panto
