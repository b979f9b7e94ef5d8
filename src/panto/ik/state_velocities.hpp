#pragma once
// Velocities of a pose that was found and not stepped to: one exact velocity inversion on the tree.

#include <vector>

#include "panto/ik/pose_rows.hpp"
#include "panto/ik/solver_options.hpp"
#include "panto/ik/target_velocity.hpp"
#include "panto/ik/velocity_problem.hpp"
#include "panto/tree_qp/active_set.hpp"

namespace panto {

/// Computes the velocities of States of one model. The model must outlive it.
class StateVelocities {
 public:
  /// @throws ConfigError naming the option or row that is out of range.
  StateVelocities(const Model& model, const std::vector<Target>& rows, const DynamicalOptions& options,
                  const OwnTargets& own = {});

  /// Makes the own targets of this sample the previous ones.
  void keep(const Targets& targets) noexcept;

  /// Sets v_WB, w_WB and sdot of `state` to the velocities that fit the rates of `targets` best: those
  /// measured at its own instant, else the difference to `previous` over `dt` [s] if that sample is of the
  /// instant `since`. Rows without either are ignored; without any, velocities become zero. Joints keep their
  /// speed limits, and neither a joint nor a coupled row at a limit moves outwards. Returns false if not
  /// finite, with `state` unchanged. `at_pose`: a problem of the same model and rows at the pose of `state`,
  /// if there is one.
  [[nodiscard]] bool set(const Targets& targets, const PreviousTargets& previous, Time since, double dt,
                         State& state, const VelocityProblem* at_pose = nullptr) noexcept;
  /// The same from measured rates alone.
  [[nodiscard]] bool set(const Targets& targets, State& state) noexcept;

  /// Returns the number of sweeps of the tree solver in the last call.
  [[nodiscard]] int solves() const noexcept { return solution_.solves; }

 private:
  void read_own(const Targets& targets, double dt, bool from_before) noexcept;
  void take_rates(std::size_t j, const Target& now, const Target* before, double dt) noexcept;
  [[nodiscard]] bool invert(State& state, const VelocityProblem* at_pose) noexcept;

  const Model* model_;
  VelocitySource source_;
  DampingOptions damping_;
  VelocityProblem problem_;
  JointLimits limits_;
  PoseRows rows_;
  ActiveSetSolver tree_solver_;
  TreeSolution solution_;
  Targets rates_;  // rows with a rate
  std::vector<Eigen::Vector3d> angular_, linear_;
  Eigen::VectorXd lower_, upper_, sdot_;
  LaneArray<3> omega_before_, ball_rate_;  // of balls, whose unknown is an angular velocity
};

}  // namespace panto
