#pragma once
// How links move at one instant, accelerations included.

#include <Eigen/Core>
#include <vector>

#include "panto/model/kinematics.hpp"
#include "panto/model/state_acceleration.hpp"

namespace panto {

/// Motion of a link L in the world, in world axes; of its origin, where a place is meant.
struct LinkMotion {
  Eigen::Matrix3d R_WL = Eigen::Matrix3d::Identity();
  Eigen::Vector3d p_WL = Eigen::Vector3d::Zero();
  Eigen::Vector3d w_WL = Eigen::Vector3d::Zero();
  Eigen::Vector3d alpha_WL = Eigen::Vector3d::Zero();
  Eigen::Vector3d a_WL = Eigen::Vector3d::Zero();

  /// Acceleration of a point of the link [m/s^2], in W.
  [[nodiscard]] Eigen::Vector3d acceleration_at(const Eigen::Vector3d& p_L) const noexcept;
};

/// Motion of all links of a model, one pass. The base moves as the state says, also where the model says that
/// it is fixed. The model must outlive it; no allocation after construction.
class LinkMotions {
 public:
  explicit LinkMotions(const Model& model);
  void update(const State& state, const StateAcceleration& acceleration) noexcept;
  [[nodiscard]] LinkMotion link(int link) const noexcept;

 private:
  Kinematics kinematics_;
  std::vector<Eigen::Vector3d> w_, alpha_, a_;  // by body
};

}  // namespace panto
