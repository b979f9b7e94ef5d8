#pragma once
// Angles and turns between directions and between orientations.

#include <Eigen/Core>

namespace panto {

/// Angle between two vectors in [0, pi] [rad], accurate at both ends; 0 where one of them is zero.
[[nodiscard]] double angle_between(const Eigen::Vector3d& a, const Eigen::Vector3d& b) noexcept;

/// A unit vector at right angles to the unit vector `a`.
[[nodiscard]] Eigen::Vector3d across(const Eigen::Vector3d& a) noexcept;

/// The smallest rotation that takes the unit vector `from` to the unit vector `to`; half a turn about
/// `across(from)` where they are opposite.
[[nodiscard]] Eigen::Matrix3d least_turn(const Eigen::Vector3d& from, const Eigen::Vector3d& to) noexcept;

/// The rotation R that maximises trace(R^T M): the mean of the rotations that were summed to M, and the
/// rotation that best takes points q onto points p for M = sum of p q^T (Kabsch).
[[nodiscard]] Eigen::Matrix3d nearest_rotation(const Eigen::Matrix3d& M);

/// The orientation that lies `share` of the way from A (0) to B (1), along the shortest turn.
[[nodiscard]] Eigen::Matrix3d part_of_turn(const Eigen::Matrix3d& A, const Eigen::Matrix3d& B,
                                           double share) noexcept;

}  // namespace panto
