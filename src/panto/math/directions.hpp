#pragma once
// Angles and turns between directions and between orientations.

#include <Eigen/Core>

namespace panto {

/// Returns the angle between two vectors in [0, pi] [rad], accurate at both ends; 0 when one of them is zero.
[[nodiscard]] double angle_between(const Eigen::Vector3d& a, const Eigen::Vector3d& b) noexcept;

/// Returns a unit vector perpendicular to the unit vector `a`.
[[nodiscard]] Eigen::Vector3d across(const Eigen::Vector3d& a) noexcept;

/// Returns the smallest rotation that takes the unit vector `from` to the unit vector `to`; half a turn about
/// `across(from)` when they are opposite.
[[nodiscard]] Eigen::Matrix3d least_turn(const Eigen::Vector3d& from, const Eigen::Vector3d& to) noexcept;

/// Returns the right-handed frame whose axis `a` (0 x, 1 y, 2 z) is along `exact` and whose axis `b` is as
/// near to `about` as possible. All elements are NaN if the two are parallel, zero or NaN.
[[nodiscard]] Eigen::Matrix3d frame_along(int a, const Eigen::Vector3d& exact, int b,
                                          const Eigen::Vector3d& about) noexcept;

/// Returns the rotation R that maximises trace(R^T M): the mean of rotations that sum to M, or, for M = sum
/// of p q^T, the rotation that best takes points q onto points p (Kabsch).
[[nodiscard]] Eigen::Matrix3d nearest_rotation(const Eigen::Matrix3d& M);

/// Interpolates from A (share 0) to B (share 1) along the shortest turn.
[[nodiscard]] Eigen::Matrix3d part_of_turn(const Eigen::Matrix3d& A, const Eigen::Matrix3d& B,
                                           double share) noexcept;

}  // namespace panto
