#pragma once

#include <Eigen/Core>

namespace panto {

/// Second derivatives of a State, in world axes, as inertial sensors measure them.
struct StateAcceleration {
  Eigen::Vector3d a_WB = Eigen::Vector3d::Zero();      ///< of the base origin [m/s^2]
  Eigen::Vector3d alpha_WB = Eigen::Vector3d::Zero();  ///< derivative of w_WB [rad/s^2]
  Eigen::VectorXd sddot;                               ///< [rad/s^2] or [m/s^2]
};

}  // namespace panto
