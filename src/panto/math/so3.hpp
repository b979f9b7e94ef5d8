#pragma once
// Rotations as 3x3 matrices. R_AB maps coordinates in B to coordinates in A; angular velocities are expressed
// in the outer frame: R_AB' = hat(w_AB) R_AB (docs/notation.md).

#include <Eigen/Core>

namespace panto::so3 {

using Eigen::Matrix3d;
using Eigen::Vector3d;

/// hat(v) u = v x u.
[[nodiscard]] Matrix3d hat(const Vector3d& v) noexcept;

/// Inverse of `hat` on skew matrices: (M32, M13, M21).
[[nodiscard]] Vector3d vee(const Matrix3d& M) noexcept;

/// vee((M - M^T) / 2): for a rotation by `theta` about unit `u` this is u sin(theta).
[[nodiscard]] Vector3d vee_skew(const Matrix3d& M) noexcept;

/// Returns the rotation by |v| [rad] about v (Rodrigues; series below 1e-4 rad).
[[nodiscard]] Matrix3d exp(const Vector3d& v) noexcept;

/// Returns the rotation vector of R, |v| <= pi. Near pi the axis comes from the largest diagonal element.
[[nodiscard]] Vector3d log(const Matrix3d& R) noexcept;

/// Returns the angle of R in [0, pi], accurate at both ends.
[[nodiscard]] double angle(const Matrix3d& R) noexcept;

/// Returns the angle between two orientations [rad].
[[nodiscard]] double distance(const Matrix3d& A, const Matrix3d& B) noexcept;

/// Takes one Newton step of the polar iteration, R (3 I - R^T R) / 2: squares the orthonormality error.
[[nodiscard]] Matrix3d polar_step(const Matrix3d& R) noexcept;

/// Returns the nearest rotation to M (polar factor by Newton's iteration). M must be within about 0.3 of a
/// rotation; see `is_rotation`.
[[nodiscard]] Matrix3d project(const Matrix3d& M) noexcept;

/// Returns true when R is finite, orthonormal within `tolerance` (largest element of R^T R - I) and
/// right-handed.
[[nodiscard]] bool is_rotation(const Matrix3d& R, double tolerance = 1e-2) noexcept;

/// Returns the rotation about a coordinate axis (0 = x, 1 = y, 2 = z) by `angle` [rad].
[[nodiscard]] Matrix3d about_axis(int axis, double angle) noexcept;

/// Returns the unit quaternion (w, x, y, z) with w >= 0.
[[nodiscard]] Eigen::Vector4d to_quaternion_wxyz(const Matrix3d& R) noexcept;

/// Returns the rotation of a quaternion (w, x, y, z) of any non-zero norm; identity for a zero or non-finite
/// one.
[[nodiscard]] Matrix3d from_quaternion_wxyz(const Eigen::Vector4d& q) noexcept;

}  // namespace panto::so3
