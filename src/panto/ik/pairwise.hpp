#pragma once
// Pair-wise instantaneous inverse kinematics: every link with an orientation target and the nearest one
// before it form a pair, whose joints in between meet the relative orientation R_A' R_B of the two targets,
// whatever the rest of the body does. The base takes its own target. Coupled rows and speed limits span
// pairs: the joints found are moved to the nearest that satisfy them.

#include <memory>
#include <vector>

#include "panto/ik/base_placement.hpp"
#include "panto/ik/joint_limits.hpp"
#include "panto/ik/pose_optimizer.hpp"
#include "panto/ik/pose_rows.hpp"
#include "panto/ik/solver.hpp"
#include "panto/ik/solver_options.hpp"
#include "panto/ik/state_velocities.hpp"

namespace panto {

class PairwiseSolver final : public Solver {
 public:
  /// `rows` fixes links and weights of all later Targets; uses velocity source, damping (of the velocities)
  /// and speed limit of `motion`. The model must outlive the solver. @throws ConfigError naming the option or
  /// row that is out of range.
  PairwiseSolver(const Model& model, const std::vector<Target>& rows, const DynamicalOptions& motion,
                 const PairwiseOptions& options = {});
  ~PairwiseSolver() override;

  /// Makes a step. Saturated if a joint presses against a limit. `last_report().fallback_level`: the worst of
  /// all pairs, as in InstantaneousSolver. Joints that no orientation target determines take the rest pose;
  /// those of a pair whose target is missing in this sample keep their angles.
  [[nodiscard]] StepStatus step(const Targets& targets, State& state) noexcept override;
  void prime(const Targets& targets) noexcept override { previous_.prime(targets); }
  void set_velocities(const Targets& targets, State& state) noexcept override;
  [[nodiscard]] const StepReport& last_report() const noexcept override { return report_; }

  /// Return the number of pairs, and how many of them have a closed form without limits.
  [[nodiscard]] int pair_count() const noexcept { return static_cast<int>(pairs_.size()); }
  [[nodiscard]] int closed_form_count() const noexcept;

 private:
  struct ChainProblem;
  struct Pair {
    int anchor = 0;  // body that carries the chain: has a target, or is on the chain of a previous pair
    int row = 0;     // of the last body
    std::vector<int> bodies;              // of the chain, proximal first
    int group = -1;                       // the chain is this spherical group; -1: it is not
    std::unique_ptr<ChainProblem> chain;  // if there is no closed form
  };

  void make_pairs(const PairwiseOptions& options);
  void place_body(int body) noexcept;
  void place_pair(Pair& pair, const Targets& targets) noexcept;
  void solve(Pair& pair, const Eigen::Matrix3d& R_AC) noexcept;
  [[nodiscard]] bool solve_triple(const JointGroup& group, const Eigen::Matrix3d& R_AC) noexcept;
  void search(Pair& pair, const Eigen::Matrix3d& R_AC) noexcept;
  void move_inside(const State& state, double dt) noexcept;

  const Model* model_;
  std::vector<Pair> pairs_;
  std::vector<int> free_joints_;    // determined by no pair
  std::vector<Eigen::Matrix3d> R_;  // by body: from targets, else from the joints
  Kinematics kinematics_;
  StateVelocities velocities_;  // checks the rows
  BasePlacement base_;
  JointLimits limits_;
  PoseRows rows_;
  bool limit_speed_;
  Eigen::VectorXd lower_, upper_;
  PreviousTargets previous_;
  State next_;
  StepReport report_;
};

}  // namespace panto
