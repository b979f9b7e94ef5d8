#include "panto/math/vector_math.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "panto/math/lanes.hpp"
#include "panto/math/vector_math_inline.hpp"

namespace panto {
namespace {

using vector_math::atan_tail;
using vector_math::inline_exp;
using vector_math::inline_sincos;
using vector_math::inline_tanh;
using vector_math::sincos_near_zero;

constexpr double kPi = 3.14159265358979311600e+00;
constexpr double kPiLow = 1.22464679914735317720e-16;

// atan of 0 <= t <= 1 by reduction to |t| <= 7/16
double atan_unit(double t) noexcept {
  double high = 0.0, low = 0.0, r = t;
  if (t > 11.0 / 16.0) {
    high = 7.85398163397448278999e-01;  // pi/4
    low = 3.06161699786838301793e-17;
    r = (t - 1.0) / (t + 1.0);
  } else if (t > 7.0 / 16.0) {
    high = 4.63647609000806093515e-01;  // atan(1/2)
    low = 2.26987774529616870924e-17;
    r = (2.0 * t - 1.0) / (2.0 + t);
  }
  return high - ((r * atan_tail(r) - low) - r);
}

}  // namespace

SinCos sincos(double x) noexcept { return inline_sincos(x); }

namespace {

// k is 0 and needs no reduction: most joints, most of the time.
[[gnu::always_inline]] inline bool all_near_zero(const double* x, std::size_t n) noexcept {
  std::int64_t far = 0;
  for (std::size_t i = 0; i < n; ++i) far += std::abs(x[i]) < 0.785 ? 0 : 1;
  return far == 0;
}

template <SinCos (*Function)(double) noexcept>
[[gnu::always_inline]] inline void apply(const double* x, std::size_t n, double* sin, double* cos) noexcept {
#pragma GCC ivdep
  for (std::size_t i = 0; i < n; ++i) {
    const SinCos sc = Function(x[i]);
    sin[i] = sc.sin;
    cos[i] = sc.cos;
  }
}

}  // namespace

PANTO_WIDE void sincos(const double* x, std::size_t n, double* sin, double* cos) noexcept {
  constexpr std::size_t group = 3 * kLanes;  // numbers per group; the same bits for any size
  std::size_t i = 0;
  for (; i + group <= n; i += group) {
    if (all_near_zero(x + i, group)) {
      apply<sincos_near_zero>(x + i, group, sin + i, cos + i);
    } else {
      apply<inline_sincos>(x + i, group, sin + i, cos + i);
    }
  }
  apply<inline_sincos>(x + i, n - i, sin + i, cos + i);
}

PANTO_WIDE void tanh(const double* x, std::size_t n, double* result) noexcept {
#pragma GCC ivdep
  for (std::size_t i = 0; i < n; ++i) result[i] = inline_tanh(x[i]);
}

double tanh(double x) noexcept { return inline_tanh(x); }

double exp_decay(double x) noexcept { return x >= -700.0 ? inline_exp(x > 0.0 ? 0.0 : x) : x == x ? 0.0 : x; }

double atan2(double y, double x) noexcept {
  double ay = std::abs(y), ax = std::abs(x);
  if (!(std::isfinite(ax) && std::isfinite(ay))) {
    if (ax != ax || ay != ay) return x + y;
    ay = std::isinf(ay) ? 1.0 : 0.0;  // an infinitely far point in that direction
    ax = std::isinf(ax) ? 1.0 : 0.0;
  }
  if (ay == 0.0 && ax == 0.0) return 0.0;
  double a = ay <= ax ? atan_unit(ay / ax) : (0.5 * kPi - atan_unit(ax / ay)) + 0.5 * kPiLow;
  if (x < 0.0) a = kPi - (a - kPiLow);
  return std::copysign(a, y);
}

double atan_small(double t) noexcept { return t - t * atan_tail(t); }

PANTO_WIDE void atan_small(const double* t, std::size_t n, double* result) noexcept {
#pragma GCC ivdep
  for (std::size_t i = 0; i < n; ++i) result[i] = t[i] - t[i] * atan_tail(t[i]);
}

double asin(double x) noexcept {
  const double clipped = std::clamp(x, -1.0, 1.0);
  return atan2(clipped, std::sqrt((1.0 - clipped) * (1.0 + clipped)));
}

}  // namespace panto
