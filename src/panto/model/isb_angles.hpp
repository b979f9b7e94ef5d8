#pragma once
// Joint angles by the recommendations of the International Society of Biomechanics, as MVN reports them.

#include <Eigen/Core>
#include <array>
#include <span>

#include "panto/model/human.hpp"

namespace panto {

inline constexpr int kIsbJointCount = 22;

/// Returns the angles (x, y, z) [rad] of the 22 joints; entry i is the joint between segment i + 1 and its
/// parent (MVNX order). z > 0 is flexion, x > 0 abduction, y > 0 internal or axial rotation. `R_WS`:
/// orientations of the 23 segments in T-pose frames (identity in the T-pose). [docs/algorithms/isb_angles.md]
[[nodiscard]] std::array<Eigen::Vector3d, kIsbJointCount> isb_angles(
    std::span<const Eigen::Matrix3d, kHumanSegmentCount> R_WS) noexcept;

/// The same with the recording's own ISB frames: `R_T_isb[i]` = R_tpose,i^T R_tpose-isb,i of an MVNX file.
[[nodiscard]] std::array<Eigen::Vector3d, kIsbJointCount> isb_angles(
    std::span<const Eigen::Matrix3d, kHumanSegmentCount> R_WS,
    std::span<const Eigen::Matrix3d, kHumanSegmentCount> R_T_isb) noexcept;

/// Returns the R_T_isb that the first overload uses: MVN's anatomical frames seen from its T-pose frames.
[[nodiscard]] const std::array<Eigen::Matrix3d, kHumanSegmentCount>& standard_isb_frames() noexcept;

}  // namespace panto
