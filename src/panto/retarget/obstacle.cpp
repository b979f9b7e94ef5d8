#include "panto/retarget/obstacle.hpp"

#include <algorithm>
#include <cmath>

#include "panto/base/error.hpp"
#include "panto/model/capsule.hpp"

namespace panto {
namespace {

using Eigen::Vector3d;

constexpr int kHalvings = 40;     // of the segment, in search of the point nearest to a box
constexpr double kOnAxis = 1e-9;  // [m] nearer to a capsule's axis no direction leads out
constexpr double kRotation = 1e-6;

struct Signed {
  double distance = 0.0;
  Vector3d normal = Vector3d::UnitZ();
};

// Signed distance of a point from a box, and its gradient, in the box's frame.
Signed from_box(const Vector3d& p, const Vector3d& half) noexcept {
  const Vector3d beyond = p.cwiseAbs() - half, outside = beyond.cwiseMax(0.0);
  const auto side = [&](int i) { return p[i] < 0.0 ? -1.0 : 1.0; };
  Signed result;
  if (const double away = outside.norm(); away > 0.0) {
    result.distance = away;
    for (int i = 0; i < 3; ++i) result.normal[i] = side(i) * outside[i] / away;
    return result;
  }
  int face = 0;
  result.distance = beyond.maxCoeff(&face);
  result.normal = side(face) * Vector3d::Unit(face);
  return result;
}

// The distance is convex along the segment: halves it towards the smaller end.
ObstacleGap box_gap(const Obstacle& box, const Vector3d& a, const Vector3d& b) noexcept {
  const Vector3d from = box.R_WO.transpose() * (a - box.p_WO), way = box.R_WO.transpose() * (b - a);
  double low = 0.0, high = 1.0;
  for (int i = 0; i < kHalvings; ++i) {
    const double middle = 0.5 * (low + high);
    const double slope = from_box(from + middle * way, box.half).normal.dot(way);
    (slope > 0.0 ? high : low) = middle;
  }
  ObstacleGap gap;
  Signed least{kInfinity, Vector3d::UnitZ()};
  for (const double share : {0.0, 0.5 * (low + high), 1.0}) {
    const Signed here = from_box(from + share * way, box.half);
    if (!(here.distance < least.distance)) continue;
    least = here;
    gap.share = share;
  }
  gap.distance = least.distance;
  gap.normal_W = box.R_WO * least.normal;
  return gap;
}

ObstacleGap plane_gap(const Obstacle& plane, const Vector3d& a, const Vector3d& b) noexcept {
  ObstacleGap gap;
  gap.normal_W = plane.R_WO.col(2);
  const double at_a = gap.normal_W.dot(a - plane.p_WO), at_b = gap.normal_W.dot(b - plane.p_WO);
  gap.share = at_b < at_a ? 1.0 : 0.0;
  gap.distance = std::min(at_a, at_b);
  return gap;
}

ObstacleGap capsule_gap(const Obstacle& capsule, const Vector3d& a, const Vector3d& b) noexcept {
  const NearestPoints points = nearest_points(capsule.p_WO, capsule.end_W, a, b);
  ObstacleGap gap;
  gap.share = points.on_b;
  gap.distance = points.distance - capsule.radius;
  if (points.distance > kOnAxis) gap.normal_W = (points.b - points.a) / points.distance;
  return gap;
}

}  // namespace

void check(const Obstacle& obstacle) {
  const auto fail = [&](const char* what) { throw ConfigError("obstacle '" + obstacle.name + "': " + what); };
  if (!obstacle.p_WO.allFinite() || !obstacle.R_WO.allFinite() || !obstacle.end_W.allFinite() ||
      !obstacle.half.allFinite() || !std::isfinite(obstacle.radius))
    fail("a number is not finite (position, turn, end, half or radius)");
  if (!(obstacle.R_WO.transpose() * obstacle.R_WO).isIdentity(kRotation) || obstacle.R_WO.determinant() < 0.0)
    fail("`R_WO` must be a rotation");
  if (obstacle.radius < 0.0) fail("the radius must be >= 0");
  if (obstacle.shape == Obstacle::Shape::Box && !(obstacle.half.array() > 0.0).all())
    fail("the sides of a box must be > 0");
}

ObstacleGap obstacle_gap(const Obstacle& obstacle, const Vector3d& a, const Vector3d& b) noexcept {
  ObstacleGap gap;
  switch (obstacle.shape) {
    case Obstacle::Shape::Plane:
      gap = plane_gap(obstacle, a, b);
      break;
    case Obstacle::Shape::Capsule:
      gap = capsule_gap(obstacle, a, b);
      break;
    case Obstacle::Shape::Box:
      gap = box_gap(obstacle, a, b);
      break;
  }
  gap.point_W = a + gap.share * (b - a);
  return gap;
}

}  // namespace panto
