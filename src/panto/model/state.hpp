#pragma once
// The configuration of a model at one instant. A plain value: copying it is a checkpoint.

#include <Eigen/Core>
#include <cstdint>

#include "panto/base/time.hpp"
#include "panto/model/model.hpp"

namespace panto {

/// Base pose, joints and their velocities, all in world axes W; joints in the model's order.
struct State {
  Time t = 0;                                          ///< [ns]
  Eigen::Vector3d p_WB = Eigen::Vector3d::Zero();      ///< base origin [m]
  Eigen::Matrix3d R_WB = Eigen::Matrix3d::Identity();  ///< base orientation, orthonormal
  Eigen::VectorXd s;                                   ///< joint positions [rad] or [m]
  Eigen::Vector3d v_WB = Eigen::Vector3d::Zero();      ///< velocity of the base origin [m/s]
  Eigen::Vector3d w_WB = Eigen::Vector3d::Zero();      ///< angular velocity [rad/s]
  Eigen::VectorXd sdot;                                ///< joint velocities [rad/s] or [m/s]
};

/// Returns the model's rest pose at rest, base at the origin, t = 0.
[[nodiscard]] State rest_state(const Model& model);

/// Returns true when every number is finite, R_WB is orthonormal within 1e-6, and the sizes fit the model.
[[nodiscard]] bool is_valid(const State& state, const Model& model) noexcept;

/// Returns FNV-1a 64 over the little-endian bytes of (t, p_WB, quaternion wxyz with w >= 0, s, nu), -0
/// written as +0. To hash a motion, pass the previous frame's hash.
[[nodiscard]] std::uint64_t state_hash(const State& state,
                                       std::uint64_t hash = 0xcbf29ce484222325ULL) noexcept;

}  // namespace panto
