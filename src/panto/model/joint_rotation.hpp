#pragma once

#include <Eigen/Core>

namespace panto {

/// Returns M Rot(axis K, angle): a turn about a coordinate axis only mixes the two other columns.
template <int K>
[[nodiscard]] Eigen::Matrix3d rotated_about(const Eigen::Matrix3d& M, double sine, double cosine) noexcept {
  constexpr int i = (K + 1) % 3, j = (K + 2) % 3;
  Eigen::Matrix3d R;
  R.col(K) = M.col(K);
  R.col(i) = cosine * M.col(i) + sine * M.col(j);
  R.col(j) = cosine * M.col(j) - sine * M.col(i);
  return R;
}

/// Returns M Rot(axis, angle), given the angle's sine and cosine; `axis_code` as in Tree.
[[nodiscard]] inline Eigen::Matrix3d rotated(const Eigen::Matrix3d& M, signed char axis_code,
                                             const Eigen::Vector3d& axis, double sine,
                                             double cosine) noexcept {
  switch (axis_code) {
    case 1:
      return rotated_about<0>(M, sine, cosine);
    case 2:
      return rotated_about<1>(M, sine, cosine);
    case 3:
      return rotated_about<2>(M, sine, cosine);
    case -1:
      return rotated_about<0>(M, -sine, cosine);
    case -2:
      return rotated_about<1>(M, -sine, cosine);
    case -3:
      return rotated_about<2>(M, -sine, cosine);
    default:
      break;
  }
  // Rodrigues, column by column: M (c I + s [a] + (1 - c) a a^T)
  const Eigen::Vector3d b = M * axis;
  Eigen::Matrix3d R = cosine * M + (1.0 - cosine) * b * axis.transpose();
  R.col(0) += sine * (axis.z() * M.col(1) - axis.y() * M.col(2));
  R.col(1) += sine * (axis.x() * M.col(2) - axis.z() * M.col(0));
  R.col(2) += sine * (axis.y() * M.col(0) - axis.x() * M.col(1));
  return R;
}

}  // namespace panto
