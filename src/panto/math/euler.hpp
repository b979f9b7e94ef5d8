#pragma once
// Euler angles: used only at the borders (files, named joints).

#include <Eigen/Core>
#include <array>

#include "panto/math/so3.hpp"

namespace panto::euler {

using Eigen::Matrix3d;
using Eigen::Vector3d;

/// Three different coordinate axes (0 = x, 1 = y, 2 = z), the first outermost: R = R_i(a) R_j(b) R_k(c).
using Sequence = std::array<int, 3>;

inline constexpr Sequence XYZ{0, 1, 2};
inline constexpr Sequence YXZ{1, 0, 2};
inline constexpr Sequence ZXY{2, 0, 1};
inline constexpr Sequence ZYX{2, 1, 0};

/// Returns R_i(a) R_j(b) R_k(c), angles [rad].
[[nodiscard]] Matrix3d to_rotation(const Vector3d& angles, const Sequence& sequence) noexcept;

/// Returns the principal angles (a, b, c) of R, |b| <= pi/2. At |b| = pi/2 only a sum is determined, and c =
/// 0.
[[nodiscard]] Vector3d from_rotation(const Matrix3d& R, const Sequence& sequence) noexcept;

/// Returns roll r, pitch p and yaw y of R = Rz(y) Ry(p) Rx(r), as in URDF. They reproduce R to 1e-15, also
/// near |p| = pi/2.
[[nodiscard]] Vector3d roll_pitch_yaw(const Matrix3d& R) noexcept;
/// Returns R = Rz(y) Ry(p) Rx(r) for (r, p, y).
[[nodiscard]] Matrix3d from_roll_pitch_yaw(const Vector3d& rpy) noexcept;

/// Returns the angles of R on the branch nearest to `near` (of both solutions, each plus whole turns). In
/// gimbal lock only the sum or difference of a and c is determined; it is split so that both change equally.
[[nodiscard]] Vector3d nearest(const Matrix3d& R, const Sequence& sequence, const Vector3d& near) noexcept;

/// The same for known principal angles.
[[nodiscard]] Vector3d nearest_branch(const Vector3d& principal, const Vector3d& near) noexcept;

/// Returns `angle` plus the whole turns that bring it within pi of `near`.
[[nodiscard]] double unwrap(double angle, double near) noexcept;

}  // namespace panto::euler
