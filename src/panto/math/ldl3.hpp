#pragma once
// L D L' of a symmetric 3x3 matrix, for loops over lanes: no branch, no square root.

#include "panto/math/lanes.hpp"

namespace panto {

/// Factorises A = L D L'. A pivot below 1e-14 of the largest diagonal entry, or zero, counts as infinite: its
/// unknown becomes zero.
struct Ldl3 {
  double l10, l20, l21;
  Vec3 inverse;  ///< of D; 0 where the pivot vanishes
};

/// Returns 1/pivot, or 0 when it vanishes relative to `largest`.
[[nodiscard]] PANTO_INLINE double inverse_pivot(double pivot, double largest) noexcept {
  constexpr double vanishing = 1e-14, tiny = 1e-300;
  const double share = vanishing * largest, floor = share > tiny ? share : tiny, there = 1.0 / pivot;
  return pivot > floor ? there : 0.0;
}

[[nodiscard]] PANTO_INLINE Ldl3 ldl3(const Sym3& A) noexcept {
  const double xy = A.xx > A.yy ? A.xx : A.yy, largest = xy > A.zz ? xy : A.zz;
  const auto inverse = [largest](double pivot) { return inverse_pivot(pivot, largest); };
  Ldl3 f;
  f.inverse.x = inverse(A.xx);
  f.l10 = A.xy * f.inverse.x;
  f.l20 = A.xz * f.inverse.x;
  f.inverse.y = inverse(A.yy - f.l10 * A.xy);
  const double t = A.yz - f.l20 * A.xy;
  f.l21 = t * f.inverse.y;
  f.inverse.z = inverse(A.zz - f.l20 * A.xz - f.l21 * t);
  return f;
}

/// Returns L^-1 b.
[[nodiscard]] PANTO_INLINE Vec3 forward(const Ldl3& f, const Vec3& b) noexcept {
  const double y = b.y - f.l10 * b.x;
  return {b.x, y, b.z - f.l20 * b.x - f.l21 * y};
}
/// Returns L'^-1 t.
[[nodiscard]] PANTO_INLINE Vec3 backward(const Ldl3& f, const Vec3& t) noexcept {
  const double y = t.y - f.l21 * t.z;
  return {t.x - f.l10 * y - f.l20 * t.z, y, t.z};
}
/// Returns A L'^-1.
[[nodiscard]] PANTO_INLINE Mat3 times_backward(const Mat3& A, const Ldl3& f) noexcept {
  const Vec3 x = forward(f, {A.x.x, A.y.x, A.z.x}), y = forward(f, {A.x.y, A.y.y, A.z.y}),
             z = forward(f, {A.x.z, A.y.z, A.z.z});
  return {{x.x, y.x, z.x}, {x.y, y.y, z.y}, {x.z, y.z, z.z}};
}

/// Reads and writes lane l of a chunk of factors.
template <std::size_t W>
[[nodiscard]] PANTO_INLINE Ldl3 ldl3(const Chunk<6, W>& c, std::size_t l) noexcept {
  return {c.v[0][l], c.v[1][l], c.v[2][l], {c.v[3][l], c.v[4][l], c.v[5][l]}};
}
template <std::size_t W>
PANTO_INLINE void store(const Ldl3& f, Chunk<6, W>& c, std::size_t l) noexcept {
  store(Sym3{f.l10, f.l20, f.l21, f.inverse.x, f.inverse.y, f.inverse.z}, c, l);
}

}  // namespace panto
