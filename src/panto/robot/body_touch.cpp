#include "panto/robot/body_touch.hpp"

#include <algorithm>

#include "panto/base/index.hpp"

namespace panto::robot {
namespace {

using Eigen::Vector3d;

constexpr double kShortestLine = 1e-3;  // [m] a shorter line has no proportions

Vector3d point_of(const BodyLine& line, double share) noexcept {
  return line.from + share * (line.to - line.from);
}

}  // namespace

double nearest_share(const BodyLine& line, const Vector3d& place) noexcept {
  const Vector3d along = line.to - line.from;
  const double square = along.squaredNorm();
  return square > 0.0 ? std::clamp((place - line.from).dot(along) / square, 0.0, 1.0) : 0.0;
}

double nearness(double distance, double near, double apart) noexcept {
  const double u = std::clamp((apart - distance) / (apart - near), 0.0, 1.0);
  return u * u * u * (10.0 - 15.0 * u + 6.0 * u * u);
}

HandTouch touch_body(const Vector3d& hand, const BodyLines& person, const Vector3d& other_hand,
                     const BodyLines& other, double height, const BodyTouchOptions& options) noexcept {
  HandTouch result;
  double sum = 0.0, none = 1.0;
  for (int k = 0; k < kBodyPartCount; ++k) {
    const BodyLine &own = person[at(k)], &theirs = other[at(k)];
    if (!own.known || !theirs.known) continue;
    const double length = (own.to - own.from).norm();
    if (!(length > kShortestLine)) continue;
    const double share = nearest_share(own, hand), near = options.near[at(k)] * height;
    const Vector3d off = hand - point_of(own, share);
    const double touch = nearness(off.norm(), near, near + options.fade * height);
    if (!(touch > 0.0)) continue;
    const double scale = (theirs.to - theirs.from).norm() / length;
    result.shift += touch * (point_of(theirs, share) + scale * off - other_hand);
    sum += touch;
    none *= 1.0 - touch;
    if (touch <= result.on_part) continue;
    result.on_part = touch;
    result.part = k;
    result.share = share;
    result.distance = scale * off.norm();
  }
  if (!(sum > 0.0)) return result;
  result.touch = 1.0 - none;
  result.shift *= result.touch / sum;
  return result;
}

}  // namespace panto::robot
