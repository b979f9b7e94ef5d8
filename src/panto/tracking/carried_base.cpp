#include "panto/tracking/carried_base.hpp"

#include "panto/math/elementary.hpp"
#include "panto/motion/spring.hpp"

namespace panto {
namespace {

using Eigen::Vector2d;
using Eigen::Vector3d;

constexpr double kFades = 0.2;  // [s]: of a step by a walking person a half; 1 m/s is taken over with 5 m/s^2
constexpr double kFindsBack = 1.0;  // [s] in which a place that nothing measures is found again, by a foot
                                    // that stands: 0.1 m of it slides by 0.1 m/s at first

}  // namespace

BaseOffset carried_on(const BaseOffset& before, const BaseAnswer& was, const BaseAnswer& is, double T,
                      const MeasuredPlace& measured) noexcept {
  const Vector3d mean = 0.5 * (was.a + is.a);
  BaseOffset now = before;
  detail::settle(kFades, T, now.p, now.v);
  if (!measured.level) {
    // two modes: the velocity is taken over soon, the place slowly
    constexpr double soon = 1.0 / kFades, slowly = 1.0 / kFindsBack;
    const Vector2d p = before.p.head<2>(), v = before.v.head<2>();
    const Vector2d speed = exp(-soon * T) * (v + slowly * p), place = exp(-slowly * T) * (v + soon * p);
    now.p.head<2>() = (place - speed) / (soon - slowly);
    now.v.head<2>() = (soon * speed - slowly * place) / (soon - slowly);
  }
  now.v -= is.v - was.v - T * mean;
  now.p -= is.p - was.p - T * was.v - 0.5 * T * T * mean;
  return now;
}

}  // namespace panto
