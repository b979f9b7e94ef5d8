#pragma once
// Where inertial sensors sit, and what surrounds them.

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
  /// How uncertain R_LI is about each axis, standard deviation [rad], > 0; unset: as any sensor's.
  std::optional<double> turn_sigma = std::nullopt;
  /// How uncertain p_LI is along each axis [m], > 0; unset: nobody said.
  std::optional<double> position_sigma = std::nullopt;
};

/// What surrounds the chain, in world axes W.
struct Surroundings {
  Eigen::Vector3d gravity_W{0.0, 0.0, -9.80665};  ///< [m/s^2]
  /// Magnetic field, in the unit of the samples. The default has norm 1, points north along +y and dips 66
  /// deg, as in the middle of Europe.
  Eigen::Vector3d field_W{0.0, 0.40673664307580021, -0.91354545764260087};
  /// Of G, in which trackers say their orientations.
  Eigen::Matrix3d R_WG = Eigen::Matrix3d::Identity();
};

}  // namespace panto
