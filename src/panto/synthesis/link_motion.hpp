#pragma once
// Motion of links at one instant, including accelerations.

#include <Eigen/Core>
#include <vector>

#include "panto/model/kinematics.hpp"
#include "panto/model/state_acceleration.hpp"

namespace panto {

/// Motion of a link L and its origin, in world axes.
struct LinkMotion {
  Eigen::Matrix3d R_WL = Eigen::Matrix3d::Identity();
  Eigen::Vector3d p_WL = Eigen::Vector3d::Zero();
  Eigen::Vector3d w_WL = Eigen::Vector3d::Zero();
  Eigen::Vector3d alpha_WL = Eigen::Vector3d::Zero();
  Eigen::Vector3d a_WL = Eigen::Vector3d::Zero();

  /// Returns the acceleration of a point of the link [m/s^2], in W.
  [[nodiscard]] Eigen::Vector3d acceleration_at(const Eigen::Vector3d& p_L) const noexcept;
};

/// Motion of all links of a model in one pass. The base moves as in the state, even if the model's base is
/// fixed. The model must outlive this object; no allocation after construction.
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
