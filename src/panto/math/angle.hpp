#pragma once
// An angle together with its sine and cosine. A chain of joints needs only the turn (sine and cosine) of an
// angle on its way outwards. One square root gives it from a direction, so no sine or arctangent delays the
// next joint. The angle itself follows from a known nearby one by a short arctangent, off the critical path.

#include <cmath>
#include <type_traits>

#include "panto/math/lanes.hpp"
#include "panto/math/vector_math_inline.hpp"

namespace panto {

/// An angle [rad] and its point on the unit circle; the angle counts whole turns.
struct Angle {
  double value = 0.0;
  SinCos turn{0.0, 1.0};
};

/// A turn: only the point on the unit circle, without the angle.
struct BareTurn {
  SinCos turn{0.0, 1.0};
};

/// Converts an angle to the representation A.
template <typename A>
[[nodiscard]] PANTO_INLINE A as(const Angle& q) noexcept {
  if constexpr (std::is_same_v<A, Angle>) {
    return q;
  } else {
    return {q.turn};
  }
}

[[nodiscard]] PANTO_INLINE Angle angle(double value) noexcept {
  return {value, vector_math::inline_sincos(value)};
}

/// Returns the turn from `from` to `to`.
[[nodiscard]] PANTO_INLINE SinCos between(const SinCos& from, const SinCos& to) noexcept {
  return {from.cos * to.sin - from.sin * to.cos, from.cos * to.cos + from.sin * to.sin};
}

/// Returns both turns, one after the other.
[[nodiscard]] PANTO_INLINE SinCos further(const SinCos& a, const SinCos& b) noexcept {
  return {a.sin * b.cos + a.cos * b.sin, a.cos * b.cos - a.sin * b.sin};
}

/// Adds half a turn.
[[nodiscard]] PANTO_INLINE SinCos opposite(const SinCos& turn) noexcept { return {-turn.sin, -turn.cos}; }

/// Returns the angle in [-pi, pi]; error below 6e-16 for sin^2 + cos^2 = 1.
[[nodiscard]] PANTO_INLINE double value_of(const SinCos& turn) noexcept {
  constexpr double kSmall = 7.0 / 16.0;
  if (!(std::abs(turn.sin) <= kSmall * turn.cos)) return atan2(turn.sin, turn.cos);
  const double t = turn.sin / turn.cos;
  return t - t * vector_math::atan_tail(t);
}

/// Returns the angle with this turn that is nearest to `near`.
[[nodiscard]] PANTO_INLINE Angle nearest(const Angle& near, const SinCos& turn) noexcept {
  return {near.value + value_of(between(near.turn, turn)), turn};
}
[[nodiscard]] PANTO_INLINE BareTurn nearest(const BareTurn& /*near*/, const SinCos& turn) noexcept {
  return {turn};
}

/// Returns the difference [rad]; between bare turns at most half a turn.
[[nodiscard]] PANTO_INLINE double way(const Angle& from, const Angle& to) noexcept {
  return to.value - from.value;
}
[[nodiscard]] PANTO_INLINE double way(const BareTurn& from, const BareTurn& to) noexcept {
  return value_of(between(from.turn, to.turn));
}

/// Adds `way` [rad].
[[nodiscard]] PANTO_INLINE Angle moved(const Angle& from, double way) noexcept {
  return angle(from.value + way);
}
[[nodiscard]] PANTO_INLINE BareTurn moved(const BareTurn& from, double way) noexcept {
  return {further(from.turn, vector_math::inline_sincos(way))};
}

/// Returns the turn of the point (x, y); `otherwise` for a point within 1e-150 of the origin.
[[nodiscard]] PANTO_INLINE SinCos turn_of(double y, double x, const SinCos& otherwise) noexcept {
  const double square = x * x + y * y;
  if (!(square > 1e-300)) return otherwise;
  const double scale = 1.0 / std::sqrt(square);
  return {scale * y, scale * x};
}

}  // namespace panto
