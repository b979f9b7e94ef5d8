#pragma once
// Forward kinematics and Jacobians. One object per thread; no allocation after construction unless a comment
// says otherwise.

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <vector>

#include "panto/model/model.hpp"
#include "panto/model/state.hpp"

namespace panto {

/// Poses and velocities of all bodies and links of a model at a State. Keeps a reference: the model must
/// outlive it.
class Kinematics {
 public:
  explicit Kinematics(const Model& model);

  /// Computes the poses at `state`. Afterwards everything below except velocities is valid.
  void update(const State& state) noexcept;
  /// Computes poses and velocities.
  void update_with_velocities(const State& state) noexcept;

  /// Returns the pose of link L in the world: orientation and origin [m].
  [[nodiscard]] Eigen::Matrix3d R_WL(int link) const noexcept;
  [[nodiscard]] Eigen::Vector3d p_WL(int link) const noexcept;
  /// Returns angular velocity [rad/s] and velocity of the link's origin [m/s], in world axes.
  [[nodiscard]] Eigen::Vector3d w_WL(int link) const noexcept;
  [[nodiscard]] Eigen::Vector3d v_WL(int link) const noexcept;

  /// Computes the Jacobian of link L, (6 x nv): rows linear then angular, "mixed" (origin of L, axes of W);
  /// columns v_WB, w_WB (floating base only), then joints in State::s order. [Rapetti 2020,
  /// section 3.1] Resizes J when needed.
  void jacobian(int link, Eigen::MatrixXd& J) const;

  /// Bodies in tree order, for solvers.
  [[nodiscard]] const Model& model() const noexcept { return *model_; }
  [[nodiscard]] const std::vector<Eigen::Matrix3d>& body_rotation() const noexcept { return R_; }
  [[nodiscard]] const std::vector<Eigen::Vector3d>& body_position() const noexcept { return p_; }
  /// Sines and cosines of the joint angles; entry 0 is unused, entries of sliders are meaningless.
  [[nodiscard]] const std::vector<double>& joint_sin() const noexcept { return sin_; }
  [[nodiscard]] const std::vector<double>& joint_cos() const noexcept { return cos_; }
  /// World joint axes; entry 0 unused.
  [[nodiscard]] const std::vector<Eigen::Vector3d>& joint_axis() const noexcept { return axis_; }

 private:
  const Model* model_;
  std::vector<Eigen::Matrix3d> R_;
  std::vector<Eigen::Vector3d> p_, axis_, w_, v_;
  std::vector<double> angle_, sin_, cos_;
};

}  // namespace panto
