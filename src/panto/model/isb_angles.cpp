#include "panto/model/isb_angles.hpp"

#include "panto/math/euler.hpp"

namespace panto {
namespace {

using enum HumanSegment::Index;

using Eigen::Matrix3d;
using Eigen::Vector3d;

Matrix3d rows(double a, double b, double c, double d, double e, double f, double g, double h, double i) {
  Matrix3d M;
  M << a, b, c, d, e, f, g, h, i;
  return M;
}

std::array<Matrix3d, kHumanSegmentCount> make_standard_isb_frames() {
  std::array<Matrix3d, kHumanSegmentCount> R;
  R.fill(Matrix3d::Identity());
  R[RightUpperArm] = rows(1, 0, 0, 0, 0, 1, 0, -1, 0);  // R_x(-90 deg)
  R[LeftUpperArm] = rows(1, 0, 0, 0, 0, -1, 0, 1, 0);   // R_x(+90 deg)
  R[RightForeArm] = R[RightHand] = rows(0, -1, 0, 0, 0, 1, -1, 0, 0);
  R[LeftForeArm] = R[LeftHand] = rows(0, 1, 0, 0, 0, -1, -1, 0, 0);
  return R;
}

// signs that make flexion, abduction and internal rotation positive on both sides
// [docs/algorithms/isb_angles.md]
Vector3d clinical_signs(int segment) {
  if (segment <= Head) return {1.0, 1.0, -1.0};
  const bool right =
      (segment >= RightShoulder && segment <= RightHand) || (segment >= RightUpperLeg && segment <= RightToe);
  Vector3d signs = right ? Vector3d{-1.0, 1.0, 1.0} : Vector3d{1.0, -1.0, 1.0};
  if (segment == RightLowerLeg || segment == LeftLowerLeg) signs.z() = -1.0;
  return signs;
}

}  // namespace

std::array<Vector3d, kIsbJointCount> isb_angles(
    std::span<const Matrix3d, kHumanSegmentCount> R_WS,
    std::span<const Matrix3d, kHumanSegmentCount> R_T_isb) noexcept {
  // ISB axes (x forward, y up, z right) from MVN's (x forward, y left, z up)
  const Matrix3d P = rows(1, 0, 0, 0, 0, 1, 0, -1, 0);

  std::array<Vector3d, kIsbJointCount> angles;
  for (int child = 1; child < kHumanSegmentCount; ++child) {
    const auto c = static_cast<std::size_t>(child);
    const auto p = static_cast<std::size_t>(kHumanSegmentParent[c]);

    // M = P R_parent^T R_child P^T = R_z(flexion) R_x(abduction) R_y(rotation)
    const Matrix3d R_parent = R_WS[p] * R_T_isb[p], R_child = R_WS[c] * R_T_isb[c];
    const Matrix3d M = P * (R_parent.transpose() * R_child) * P.transpose();
    const Vector3d zxy = euler::from_rotation(M, euler::ZXY);
    angles[c - 1] = clinical_signs(child).cwiseProduct(Vector3d{zxy[1], zxy[2], zxy[0]});
  }
  return angles;
}

const std::array<Matrix3d, kHumanSegmentCount>& standard_isb_frames() noexcept {
  static const std::array<Matrix3d, kHumanSegmentCount> R_T_isb = make_standard_isb_frames();
  return R_T_isb;
}

std::array<Vector3d, kIsbJointCount> isb_angles(std::span<const Matrix3d, kHumanSegmentCount> R_WS) noexcept {
  return isb_angles(R_WS, standard_isb_frames());
}

}  // namespace panto
