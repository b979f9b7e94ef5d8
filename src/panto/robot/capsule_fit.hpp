#pragma once
// Fits capsules to the surface of a link.

#include <Eigen/Core>
#include <optional>
#include <vector>

#include "panto/math/convex_hull.hpp"
#include "panto/model/model.hpp"

namespace panto::robot {

/// The union of convex bodies, and points on its surface.
struct Surface {
  std::vector<ConvexHull> hulls;
  std::vector<Eigen::Vector3d> points;
};

/// Returns the union of the convex hulls of shapes, and about `count` points that cover its surface, besides
/// the hulls' corners. `shapes`: the points of each; those that are not finite are left out.
[[nodiscard]] Surface surface_of(const std::vector<std::vector<Eigen::Vector3d>>& shapes, int count = 400);

struct CapsuleFitOptions {
  int most = 4;             ///< capsules, >= 1
  double enough = 0.005;    ///< [m], > 0: a fit with no point farther outside gets no more capsules
  double excess = 2.0;      ///< > 0: a capsule may stick out this many times as far as a point may be outside
  double smallest = 0.002;  ///< [m], > 0: least radius
  /// The surface is symmetric about the plane through the origin across this axis (0, 1 or 2), and so are the
  /// capsules; unset: neither.
  std::optional<int> mirror = std::nullopt;
};

/// Capsules that together are nearly a shape.
struct CapsuleFit {
  std::vector<LinkCapsule> capsules;
  double outside_max = 0.0;  ///< [m] largest distance of a point of the surface from the capsules
  double excess_max = 0.0;   ///< [m] how far a capsule sticks out of the surface at most
  double gap_mean = 0.0;     ///< [m] mean distance of the surface's points from that of the capsules
};

/// Returns the capsule's mirror image about the plane through the origin across an axis (0, 1 or 2).
[[nodiscard]] LinkCapsule mirrored(LinkCapsule capsule, int axis) noexcept;

/// Returns the distance of a point from a capsule's surface [m]; negative within.
[[nodiscard]] double capsule_distance(const LinkCapsule& capsule, const Eigen::Vector3d& p) noexcept;

/// Fits capsules to a surface. Begins with one and splits the worst until `enough` or `most`; each time
/// Gauss-Newton lowers the fourth powers of what is outside the capsules and what sticks out of the surface.
/// The same surface gives the same capsules; no points give none. @throws ConfigError for options out of
/// range.
[[nodiscard]] CapsuleFit fit_capsules(const Surface& surface, const CapsuleFitOptions& options = {});

}  // namespace panto::robot
