#include "panto/model/capsule.hpp"

#include <algorithm>
#include <cmath>

namespace panto {
namespace {

using Eigen::Vector3d;

constexpr double kParallel = 1e-10;  // [rad]

double nearest_share(const Vector3d& p, const Vector3d& from, const Vector3d& along) noexcept {
  const double square = along.squaredNorm();
  return square > 0.0 ? std::clamp((p - from).dot(along) / square, 0.0, 1.0) : 0.0;
}

}  // namespace

NearestPoints nearest_points(const Vector3d& a0, const Vector3d& a1, const Vector3d& b0,
                             const Vector3d& b1) noexcept {
  const Vector3d u = a1 - a0, v = b1 - b0, w = a0 - b0;
  NearestPoints nearest;
  double least = kInfinity;  // square of the distance
  const auto consider = [&](double s, double t) {
    const double square = (w + s * u - t * v).squaredNorm();
    if (!(square < least)) return;
    least = square;
    nearest.on_a = s;
    nearest.on_b = t;
  };
  // an end of one segment is nearest, or both points are inside and the line between them is across both
  const double a0_b = nearest_share(a0, b0, v), a1_b = nearest_share(a1, b0, v);
  const double b0_a = nearest_share(b0, a0, u), b1_a = nearest_share(b1, a0, u);
  consider(0.0, a0_b);
  consider(1.0, a1_b);
  consider(b0_a, 0.0);
  consider(b1_a, 1.0);
  const Vector3d across = u.cross(v);
  const double square = across.squaredNorm();
  if (square > kParallel * kParallel * u.squaredNorm() * v.squaredNorm()) {
    const double s = across.dot(v.cross(w)) / square, t = across.dot(u.cross(w)) / square;
    if (s > 0.0 && s < 1.0 && t > 0.0 && t < 1.0) consider(s, t);
  } else if (b0_a != b1_a) {
    // parallel, with a common part: its middle on both, within their lengths times kParallel
    nearest.on_a = 0.5 * (b0_a + b1_a);
    nearest.on_b = nearest_share(a0 + nearest.on_a * u, b0, v);
  }
  nearest.a = a0 + nearest.on_a * u;
  nearest.b = b0 + nearest.on_b * v;
  nearest.distance = std::sqrt((nearest.a - nearest.b).squaredNorm());
  return nearest;
}

double segment_distance(const Vector3d& a0, const Vector3d& a1, const Vector3d& b0,
                        const Vector3d& b1) noexcept {
  return nearest_points(a0, a1, b0, b1).distance;
}

double overlap(const Capsule& a, const Capsule& b, const Kinematics& kinematics) noexcept {
  const auto place = [&](const LinkPoint& point) -> Vector3d {
    return kinematics.p_WL(point.link) + kinematics.R_WL(point.link) * point.p_L;
  };
  return a.radius + b.radius - segment_distance(place(a.from), place(a.to), place(b.from), place(b.to));
}

}  // namespace panto
