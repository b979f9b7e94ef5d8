#pragma once
// The exact second derivatives of the pose potential, and Newton's step from them. Gauss-Newton neglects the
// curvature of residuals that cannot be met, so it approaches a pose with large residuals slowly; two or
// three Newton steps finish it.

#include <Eigen/Core>
#include <array>
#include <vector>

#include "panto/model/kinematics.hpp"
#include "panto/targets/targets.hpp"

namespace panto {

/// Coordinates: translation of the base and rotation about its own origin (world axes; none if it is fixed),
/// then joints in State::s order. The model must outlive it; no call allocates.
class PoseNewton {
 public:
  explicit PoseNewton(const Model& model);

  /// Computes the second derivatives (nv x nv, symmetric) of the potential at the pose of `kinematics`.
  void update(const Targets& targets, const Kinematics& kinematics) noexcept;
  [[nodiscard]] const Eigen::MatrixXd& hessian() const noexcept { return H_; }

  /// Makes steps keep `row`, coefficients by State::s order, to one part in 10 million. Call it after
  /// `update`.
  void hold(const Eigen::VectorXd& row) noexcept;

  /// Computes the step -(H + shift I)^-1 g of the base and of the joints that are not `held` (by State::s
  /// order); held ones rest. g: `base_linear`, `base_angular`, `joints`. Call it after `update`. Returns
  /// false if the matrix is not positive definite there.
  [[nodiscard]] bool solve(const Eigen::Vector3d& base_linear, const Eigen::Vector3d& base_angular,
                           const Eigen::VectorXd& joints, const std::vector<unsigned char>& held,
                           double shift) noexcept;
  [[nodiscard]] const Eigen::VectorXd& step() const noexcept { return step_; }

 private:
  // effect of rotating or shifting about one axis on the sums over the targets after it
  struct Column {
    Eigen::Vector3d force, moment;  // moment about the base origin
  };
  void add_position(const Target& row, const Kinematics& kinematics) noexcept;
  void fill_column(int body, const Kinematics& kinematics) noexcept;
  void fill_base() noexcept;

  const Model* model_;
  Eigen::Index first_;                      // of the joints
  std::vector<Eigen::Matrix3d> curvature_;  // by body: orientation part, of everything that hangs on it
  std::vector<Column> column_;              // by body; position part
  std::array<Column, 3> base_;
  double weight_ = 0.0;   // of all positions
  double largest_ = 0.0;  // of H's diagonal
  Eigen::MatrixXd H_, factor_;
  Eigen::VectorXd step_, right_;
  std::vector<Eigen::Index> free_;
};

}  // namespace panto
