#include "panto/model/capsule.hpp"

#include <algorithm>
#include <cmath>

namespace panto {
namespace {

using Eigen::Vector3d;

constexpr double kParallel = 1e-10;  // [rad]

double point_to_segment(const Vector3d& p, const Vector3d& a, const Vector3d& b) noexcept {
  const Vector3d along = b - a;
  const double length2 = along.squaredNorm();
  const double share = length2 > 0.0 ? std::clamp((p - a).dot(along) / length2, 0.0, 1.0) : 0.0;
  return (a + share * along - p).norm();
}

}  // namespace

double segment_distance(const Vector3d& a0, const Vector3d& a1, const Vector3d& b0,
                        const Vector3d& b1) noexcept {
  // the closest points are an end of one segment, or both are inside and the line between them is across both
  double distance = std::min({point_to_segment(a0, b0, b1), point_to_segment(a1, b0, b1),
                              point_to_segment(b0, a0, a1), point_to_segment(b1, a0, a1)});
  const Vector3d u = a1 - a0, v = b1 - b0, w = a0 - b0, across = u.cross(v);
  const double square = across.squaredNorm();
  // parallel: an end is among the closest points, within their lengths times kParallel
  if (!(square > kParallel * kParallel * u.squaredNorm() * v.squaredNorm())) return distance;
  const double s = across.dot(v.cross(w)) / square, t = across.dot(u.cross(w)) / square;
  if (s > 0.0 && s < 1.0 && t > 0.0 && t < 1.0)
    distance = std::min(distance, std::abs(across.dot(w)) / std::sqrt(square));
  return distance;
}

double overlap(const Capsule& a, const Capsule& b, const Kinematics& kinematics) noexcept {
  const auto place = [&](const LinkPoint& point) -> Vector3d {
    return kinematics.p_WL(point.link) + kinematics.R_WL(point.link) * point.p_L;
  };
  return a.radius + b.radius - segment_distance(place(a.from), place(a.to), place(b.from), place(b.to));
}

}  // namespace panto
