#pragma once

#include <Eigen/Core>

namespace panto {

/// M Rot(axis, angle), given the angle's sine and cosine. `axis_code` as in Tree: a turn about a coordinate
/// axis, the usual case, only mixes the two other columns.
[[nodiscard]] inline Eigen::Matrix3d rotated(const Eigen::Matrix3d& M, signed char axis_code,
                                             const Eigen::Vector3d& axis, double sine,
                                             double cosine) noexcept {
  Eigen::Matrix3d R;
  const double s = axis_code < 0 ? -sine : sine;
  switch (axis_code) {
    case 1:
    case -1:
      R.col(0) = M.col(0);
      R.col(1) = cosine * M.col(1) + s * M.col(2);
      R.col(2) = cosine * M.col(2) - s * M.col(1);
      return R;
    case 2:
    case -2:
      R.col(1) = M.col(1);
      R.col(2) = cosine * M.col(2) + s * M.col(0);
      R.col(0) = cosine * M.col(0) - s * M.col(2);
      return R;
    case 3:
    case -3:
      R.col(2) = M.col(2);
      R.col(0) = cosine * M.col(0) + s * M.col(1);
      R.col(1) = cosine * M.col(1) - s * M.col(0);
      return R;
    default:
      break;
  }
  // Rodrigues, column by column: M (c I + s [a] + (1 - c) a a^T)
  const Eigen::Vector3d b = M * axis;
  R = cosine * M + (1.0 - cosine) * b * axis.transpose();
  R.col(0) += sine * (axis.z() * M.col(1) - axis.y() * M.col(2));
  R.col(1) += sine * (axis.x() * M.col(2) - axis.z() * M.col(0));
  R.col(2) += sine * (axis.y() * M.col(0) - axis.x() * M.col(1));
  return R;
}

}  // namespace panto
