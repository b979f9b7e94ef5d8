#pragma once
// How a joint's (q, q', q'') moves on between samples. docs/algorithms/chain_ekf.md

#include <Eigen/Core>

#include "panto/inertial/sensor_setup.hpp"

namespace panto {

/// (q, q', q'') <- F (q, q', q''), covariance <- F P F^T + Q.
struct ChainTransition {
  Eigen::Matrix3d F = Eigen::Matrix3d::Identity();
  Eigen::Matrix3d Q = Eigen::Matrix3d::Zero();
};

/// Exact over an interval [s], however long. [Singer 1970; Van Loan 1978]
[[nodiscard]] ChainTransition transition(const ChainProcess& process, double interval) noexcept;

}  // namespace panto
