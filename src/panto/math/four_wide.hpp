#pragma once
// Rotations stored as columns of four numbers, the last one zero, so that one instruction multiplies a
// column. A product takes 9 vector multiplications, and the next product reads its result without a stall.

#include <Eigen/Core>

#include "panto/math/lanes.hpp"
#include "panto/math/vector_math.hpp"

namespace panto {

/// A 3 x 3 matrix.
struct alignas(32) FourWide {
  using Column = double __attribute__((vector_size(32)));
  Column x, y, z;
};

/// A vector; a struct, because an array of bare columns would lose their alignment.
struct alignas(32) FourWideVector {
  FourWide::Column v;
};

[[nodiscard]] PANTO_INLINE FourWideVector four_wide(const Eigen::Vector3d& v) noexcept {
  FourWideVector wide;
  wide.v = FourWide::Column{v.x(), v.y(), v.z(), 0.0};
  return wide;
}
[[nodiscard]] PANTO_INLINE FourWide four_wide(const Eigen::Matrix3d& M) noexcept {
  FourWide wide;
  wide.x = FourWide::Column{M(0, 0), M(1, 0), M(2, 0), 0.0};
  wide.y = FourWide::Column{M(0, 1), M(1, 1), M(2, 1), 0.0};
  wide.z = FourWide::Column{M(0, 2), M(1, 2), M(2, 2), 0.0};
  return wide;
}

/// Multiplies M by the matrix whose nine numbers are at `q`, column by column.
[[nodiscard]] PANTO_INLINE FourWide times(const FourWide& M, const double* q) noexcept {
  return {M.x * q[0] + M.y * q[1] + M.z * q[2], M.x * q[3] + M.y * q[4] + M.z * q[5],
          M.x * q[6] + M.y * q[7] + M.z * q[8]};
}

/// Computes M Rot(x, .), M Rot(y, .) and M Rot(z, .): a turn about a coordinate axis only mixes the two other
/// columns.
[[nodiscard]] PANTO_INLINE FourWide turned_about_x(const FourWide& M, const SinCos& a) noexcept {
  return {M.x, M.y * a.cos + M.z * a.sin, M.z * a.cos - M.y * a.sin};
}
[[nodiscard]] PANTO_INLINE FourWide turned_about_y(const FourWide& M, const SinCos& a) noexcept {
  return {M.x * a.cos - M.z * a.sin, M.y, M.z * a.cos + M.x * a.sin};
}
[[nodiscard]] PANTO_INLINE FourWide turned_about_z(const FourWide& M, const SinCos& a) noexcept {
  return {M.x * a.cos + M.y * a.sin, M.y * a.cos - M.x * a.sin, M.z};
}

/// Computes M v or M^T v.
[[nodiscard]] PANTO_INLINE Eigen::Vector3d times(const FourWide& M, const Eigen::Vector3d& v) noexcept {
  const FourWide::Column sum = M.x * v.x() + M.y * v.y() + M.z * v.z();
  return {sum[0], sum[1], sum[2]};
}
[[nodiscard]] PANTO_INLINE Eigen::Vector3d seen_from(const FourWide& M, const Eigen::Vector3d& v) noexcept {
  return {M.x[0] * v.x() + M.x[1] * v.y() + M.x[2] * v.z(), M.y[0] * v.x() + M.y[1] * v.y() + M.y[2] * v.z(),
          M.z[0] * v.x() + M.z[1] * v.y() + M.z[2] * v.z()};
}

/// Returns trace(M^T R), R stored by columns.
[[nodiscard]] PANTO_INLINE double trace_of_difference(const FourWide& M, const double* r) noexcept {
  return (M.x[0] * r[0] + M.y[0] * r[3] + M.z[0] * r[6]) + (M.x[1] * r[1] + M.y[1] * r[4] + M.z[1] * r[7]) +
         (M.x[2] * r[2] + M.y[2] * r[5] + M.z[2] * r[8]);
}

}  // namespace panto
