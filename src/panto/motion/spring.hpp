#pragma once
// A critically damped spring. Used inside this module and by live planting.

#include "panto/math/elementary.hpp"

namespace panto::detail {

/// Advances a critically damped way to zero by `dt`: `x` and its rate `v`. `time` [s]: of its spring.
template <typename Vector>
void settle(double time, double dt, Vector& x, Vector& v) noexcept {
  const double rate = 1.0 / time, fade = exp(-rate * dt);
  const Vector slope = v + rate * x;
  v = fade * (v - rate * dt * slope);
  x = fade * (x + dt * slope);
}

}  // namespace panto::detail
