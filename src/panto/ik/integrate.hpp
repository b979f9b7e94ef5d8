#pragma once
// A pose advanced by velocities that are constant over the interval.

#include <Eigen/Core>
#include <vector>

#include "panto/ik/velocity_problem.hpp"
#include "panto/model/kinematics.hpp"

namespace panto {

enum class Integration : unsigned char {
  SO3,             ///< exponential map for the base and for free spherical triples
  EulerBaumgarte,  ///< paper mode: R' = S(w) R + R A, A = rho/2 ((R'R)^-1 - I), rho dt = 1; joints by s + s'
                   ///< dt
};

/// Advances poses of one model. The model must outlive it.
class Integrator {
 public:
  Integrator(const Model& model, Integration method);

  /// Writes t + dt's pose (base and s, not the velocities) into `next`, from `now`, whose kinematics are
  /// given. Free triples move as one rotation and are read back on the nearest Euler branch (decision 4); a
  /// limited triple with a clamped joint, with |det S| < 0.05, or whose reading would leave its bounds, moves
  /// by its rates. All joints end
  /// inside their limits if they began there.
  void advance(const State& now, const Kinematics& kinematics, const VelocityProblem& problem,
               const TreeSolution& solution, const std::vector<signed char>& working_set, double dt,
               State& next) noexcept;

  /// Orientation and origin of every body after `advance`.
  [[nodiscard]] const std::vector<Eigen::Matrix3d>& body_rotation() const noexcept { return R_; }
  [[nodiscard]] const std::vector<Eigen::Vector3d>& body_position() const noexcept { return p_; }
  /// Angles at which a ball joint was read back.
  [[nodiscard]] const TripleAngles& triple_angles(int group) const noexcept {
    return triples_[static_cast<std::size_t>(group)];
  }
  /// Joints that had to be moved back to a limit by more than 1e-12 in the last `advance`.
  [[nodiscard]] int clamped() const noexcept { return clamped_; }

 private:
  bool advance_triple(int group, const State& now, const Kinematics& kinematics,
                      const VelocityProblem& problem, const TreeSolution& solution,
                      const std::vector<signed char>& working_set, double dt, State& next) noexcept;
  [[nodiscard]] double moved_joint(int body, double change, const State& now) noexcept;
  void turn_body(int body) noexcept;

  const Model* model_;
  Integration method_;
  std::vector<Eigen::Matrix3d> R_;
  std::vector<Eigen::Vector3d> p_;
  std::vector<TripleAngles> triples_;      // by group
  std::vector<double> angle_, sin_, cos_;  // of joints that move by their rates
  int clamped_ = 0;
};

}  // namespace panto
