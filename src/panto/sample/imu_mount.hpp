#pragma once
// Poses of inertial sensors on links, and their environment.

#include <Eigen/Core>
#include <optional>
#include <string>

namespace panto {

/// A sensor I, rigid on a link L.
struct ImuMount {
  std::string name;
  std::string link;
  Eigen::Matrix3d R_LI = Eigen::Matrix3d::Identity();
  Eigen::Vector3d p_LI = Eigen::Vector3d::Zero();  ///< [m]
  /// Uncertainty of R_LI about each axis, standard deviation [rad], > 0; unset: the filter's default.
  std::optional<double> turn_sigma = std::nullopt;
  /// Uncertainty of p_LI along each axis, standard deviation [m], > 0; unset: unknown.
  std::optional<double> position_sigma = std::nullopt;
};

/// Gravity and magnetic field around the chain, in world axes W.
struct Surroundings {
  Eigen::Vector3d gravity_W{0.0, 0.0, -9.80665};  ///< [m/s^2]
  /// Magnetic field, in the unit of the samples. The default has norm 1, points north along +y and dips 66
  /// deg, as in the middle of Europe.
  Eigen::Vector3d field_W{0.0, 0.40673664307580021, -0.91354545764260087};
  /// Orientation of G, the frame of the trackers' orientations.
  Eigen::Matrix3d R_WG = Eigen::Matrix3d::Identity();
};

}  // namespace panto
