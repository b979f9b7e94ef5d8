#pragma once
// The exact second derivatives of the pose potential, and Newton's step from them. Gauss-Newton leaves out
// the curvature of what it cannot meet, and so approaches a pose with large residuals slowly; two or three of
// these steps end it.

#include <Eigen/Core>
#include <array>
#include <vector>

#include "panto/model/kinematics.hpp"
#include "panto/targets/targets.hpp"

namespace panto {

/// Coordinates: translation of the base and rotation about its own origin (world axes; neither when it is
/// fixed), then joints in State::s order. The model must outlive it; no call allocates.
class PoseNewton {
 public:
  explicit PoseNewton(const Model& model);

  /// Second derivatives (nv x nv, symmetric) of the potential at the pose of `kinematics`.
  void update(const Targets& targets, const Kinematics& kinematics) noexcept;
  [[nodiscard]] const Eigen::MatrixXd& hessian() const noexcept { return H_; }

  /// Steps leave `row`, coefficients by State::s order, as it is, but for a part in 10 million. After
  /// `update`.
  void hold(const Eigen::VectorXd& row) noexcept;

  /// The step -(H + shift I)^-1 g of the joints that are not `held` (by State::s order) and of the base; held
  /// ones rest. g: `base_linear`, `base_angular`, `joints`. After `update`. False: the matrix is not positive
  /// definite there.
  [[nodiscard]] bool solve(const Eigen::Vector3d& base_linear, const Eigen::Vector3d& base_angular,
                           const Eigen::VectorXd& joints, const std::vector<unsigned char>& held,
                           double shift) noexcept;
  [[nodiscard]] const Eigen::VectorXd& step() const noexcept { return step_; }

 private:
  // what turning or shifting about one axis does to the sums over the targets behind it
  struct Column {
    Eigen::Vector3d force, moment;  // moment about the base origin
  };
  void add_position(const Target& row, const Kinematics& kinematics) noexcept;
  void fill_column(int body, const Kinematics& kinematics) noexcept;
  void fill_base() noexcept;

  const Model* model_;
  Eigen::Index first_;                      // of the joints
  std::vector<Eigen::Matrix3d> curvature_;  // by body: orientation part, of all that hangs on it
  std::vector<Column> column_;              // by body; position part
  std::array<Column, 3> base_;
  double weight_ = 0.0;   // of all positions
  double largest_ = 0.0;  // of H's diagonal
  Eigen::MatrixXd H_, factor_;
  Eigen::VectorXd step_, right_;
  std::vector<Eigen::Index> free_;
};

}  // namespace panto
