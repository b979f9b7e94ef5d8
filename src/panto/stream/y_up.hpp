#pragma once
// Axes with y up, z forward, x left as axes with z up, x forward, y left: (x, y, z) becomes (z, x, y).

#include <Eigen/Core>

namespace panto::stream {

[[nodiscard]] inline Eigen::Vector3d z_up_from_y_up(const Eigen::Vector3d& v) noexcept {
  return {v.z(), v.x(), v.y()};
}

/// The matrix of the above.
[[nodiscard]] inline Eigen::Matrix3d z_up_from_y_up() noexcept {
  return (Eigen::Matrix3d() << 0, 0, 1, 1, 0, 0, 0, 1, 0).finished();
}

}  // namespace panto::stream
