#include "panto/math/euler.hpp"

#include <cmath>
#include <numbers>

#include "panto/math/vector_math.hpp"

namespace panto::euler {
namespace {

constexpr double kPi = std::numbers::pi;
constexpr double kLocked = 1e-9;  // cos(b) below which a and c cannot be separated

// +1 for a cyclic sequence (xyz, yzx, zxy), -1 for the others
double parity(const Sequence& q) noexcept { return (q[0] + 1) % 3 == q[1] ? 1.0 : -1.0; }

}  // namespace

Matrix3d to_rotation(const Vector3d& angles, const Sequence& q) noexcept {
  return so3::about_axis(q[0], angles[0]) * so3::about_axis(q[1], angles[1]) *
         so3::about_axis(q[2], angles[2]);
}

Vector3d from_rotation(const Matrix3d& R, const Sequence& q) noexcept {
  const int i = q[0], j = q[1], k = q[2];
  const double e = parity(q);
  // R(i,k) = e sin b; row i and column k hold the two circles
  const double cos_b =
      std::sqrt(0.5 * (R(i, i) * R(i, i) + R(i, j) * R(i, j) + R(j, k) * R(j, k) + R(k, k) * R(k, k)));
  const double b = atan2(e * R(i, k), cos_b);
  if (cos_b < kLocked) return {atan2(e * R(k, j), R(j, j)), b, 0.0};
  return {atan2(-e * R(j, k), R(k, k)), b, atan2(-e * R(i, j), R(i, i))};
}

double unwrap(double angle, double near) noexcept {
  // adding 1.5 * 2^52 rounds to the nearest integer, without a call
  constexpr double shift = 6755399441055744.0;
  const double turns = ((angle - near) * (0.5 / kPi) + shift) - shift;
  return angle - 2.0 * kPi * turns;
}

Vector3d nearest_branch(const Vector3d& p, const Vector3d& near) noexcept {
  const Vector3d first{unwrap(p[0], near[0]), unwrap(p[1], near[1]), unwrap(p[2], near[2])};
  const Vector3d second{unwrap(p[0] + kPi, near[0]), unwrap(kPi - p[1], near[1]),
                        unwrap(p[2] + kPi, near[2])};
  return (second - near).squaredNorm() < (first - near).squaredNorm() ? second : first;
}

Vector3d nearest(const Matrix3d& R, const Sequence& q, const Vector3d& near) noexcept {
  const Vector3d principal = from_rotation(R, q);
  const int i = q[0], j = q[1], k = q[2];
  const double cos_b2 = 0.5 * (R(i, i) * R(i, i) + R(i, j) * R(i, j) + R(j, k) * R(j, k) + R(k, k) * R(k, k));
  if (cos_b2 >= kLocked * kLocked) return nearest_branch(principal, near);

  // locked: with sin b = +1 the sum a + c is determined, with -1 the difference a - c (signs by parity)
  const double sign = (principal[1] > 0.0 ? 1.0 : -1.0) * parity(q);
  const double change = unwrap(principal[0] - (near[0] + sign * near[2]), 0.0);
  return {near[0] + 0.5 * change, unwrap(principal[1], near[1]), near[2] + sign * 0.5 * change};
}

// Roll and pitch come from Rz(y)^T R, so they agree with the yaw found above and stay accurate near pitch =
// 90 degrees.
Vector3d roll_pitch_yaw(const Matrix3d& R) noexcept {
  const double yaw = atan2(R(1, 0), R(0, 0));
  const Matrix3d M = so3::about_axis(2, yaw).transpose() * R;
  return {atan2(-M(1, 2), M(1, 1)), atan2(-M(2, 0), M(0, 0)), yaw};
}

Matrix3d from_roll_pitch_yaw(const Vector3d& rpy) noexcept {
  return to_rotation({rpy.z(), rpy.y(), rpy.x()}, ZYX);
}

}  // namespace panto::euler
