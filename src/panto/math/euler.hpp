#pragma once
// Euler angles: used at the borders (files, named joints) and nowhere in between.

#include <Eigen/Core>
#include <array>

#include "panto/math/so3.hpp"

namespace panto::euler {

using Eigen::Matrix3d;
using Eigen::Vector3d;

/// Three different coordinate axes (0 = x, 1 = y, 2 = z), first one outermost: R = R_i(a) R_j(b) R_k(c).
using Sequence = std::array<int, 3>;

inline constexpr Sequence XYZ{0, 1, 2};
inline constexpr Sequence YXZ{1, 0, 2};
inline constexpr Sequence ZXY{2, 0, 1};
inline constexpr Sequence ZYX{2, 1, 0};

/// R_i(a) R_j(b) R_k(c), angles [rad].
[[nodiscard]] Matrix3d to_rotation(const Vector3d& angles, const Sequence& sequence) noexcept;

/// Principal angles (a, b, c) of R, |b| <= pi/2. At |b| = pi/2, where only a sum is determined, c = 0.
[[nodiscard]] Vector3d from_rotation(const Matrix3d& R, const Sequence& sequence) noexcept;

/// Roll r, pitch p and yaw y of R = Rz(y) Ry(p) Rx(r), as URDF has them. Near |p| = pi/2 too they give R back
/// to 1e-15.
[[nodiscard]] Vector3d roll_pitch_yaw(const Matrix3d& R) noexcept;
/// R = Rz(y) Ry(p) Rx(r) of (r, p, y).
[[nodiscard]] Matrix3d from_roll_pitch_yaw(const Vector3d& rpy) noexcept;

/// The angles of R on the branch nearest to `near` (both solutions, each plus whole turns). In the gimbal
/// lock, where only the sum or difference of a and c is determined, that sum is split so that both change
/// equally.
[[nodiscard]] Vector3d nearest(const Matrix3d& R, const Sequence& sequence, const Vector3d& near) noexcept;

/// The same for principal angles that are already known.
[[nodiscard]] Vector3d nearest_branch(const Vector3d& principal, const Vector3d& near) noexcept;

/// `angle` plus the whole turns that bring it within pi of `near`.
[[nodiscard]] double unwrap(double angle, double near) noexcept;

}  // namespace panto::euler
