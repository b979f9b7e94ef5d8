#include "panto/model/capsule.hpp"

#include <algorithm>
#include <cmath>

namespace panto {
namespace {

using Eigen::Vector3d;

constexpr double kParallel = 1e-14;  // square of an angle [rad^2]
constexpr double kPoint = 1e-24;     // square of a length [m^2]: a shorter segment is a point

}  // namespace

// [Ericson 2005, "Real-Time Collision Detection", section 5.1.9]; parallel segments have a rule of their own.
NearestPoints nearest_points(const Vector3d& a0, const Vector3d& a1, const Vector3d& b0,
                             const Vector3d& b1) noexcept {
  const Vector3d u = a1 - a0, v = b1 - b0, w = a0 - b0;
  const double uu = u.dot(u), vv = v.dot(v), uv = u.dot(v), uw = u.dot(w), vw = v.dot(w);
  const auto part = [](double share) { return std::clamp(share, 0.0, 1.0); };
  double s = 0.0, t = 0.0;
  if (uu <= kPoint) {
    t = vv <= kPoint ? 0.0 : part(vw / vv);
  } else if (vv <= kPoint) {
    s = part(-uw / uu);
  } else {
    const double square = uu * vv - uv * uv;
    s = square > kParallel * uu * vv ? part((uv * vw - uw * vv) / square)
                                     : 0.5 * (part(-uw / uu) + part((uv - uw) / uu));
    t = (uv * s + vw) / vv;
    if (t < 0.0) {
      t = 0.0;
      s = part(-uw / uu);
    } else if (t > 1.0) {
      t = 1.0;
      s = part((uv - uw) / uu);
    }
  }
  NearestPoints nearest{s, t, a0 + s * u, b0 + t * v, 0.0};
  nearest.distance = (nearest.a - nearest.b).norm();
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

double lowest_point(const Model& model, const State& state) {
  Kinematics kinematics(model);
  kinematics.update(state);
  double least = kInfinity;
  for (int i = 0; i < model.link_count(); ++i) {
    const Link& link = model.links()[static_cast<std::size_t>(i)];
    const Eigen::Matrix3d R = kinematics.R_WL(i);
    const Vector3d p = kinematics.p_WL(i);
    least = std::min(least, p.z());
    for (const Vector3d& corner : link.corners) least = std::min(least, (p + R * corner).z());
    for (const LinkCapsule& capsule : link.capsules)
      for (const Vector3d& end : {capsule.from, capsule.to})
        least = std::min(least, (p + R * end).z() - capsule.radius);
  }
  return least;
}

}  // namespace panto
