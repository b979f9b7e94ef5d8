#pragma once
// Predicts a joint's (q, q', q'') between samples. docs/algorithms/chain_ekf.md

#include <Eigen/Core>

#include "panto/inertial/sensor_setup.hpp"

namespace panto {

/// Transition: (q, q', q'') <- F (q, q', q''), covariance <- F P F^T + Q.
struct ChainTransition {
  Eigen::Matrix3d F = Eigen::Matrix3d::Identity();
  Eigen::Matrix3d Q = Eigen::Matrix3d::Zero();
};

/// Returns the exact transition over any interval [s]. [Singer 1970; Van Loan 1978]
[[nodiscard]] ChainTransition transition(const ChainProcess& process, double interval) noexcept;

}  // namespace panto
