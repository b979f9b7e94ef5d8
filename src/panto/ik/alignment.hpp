#pragma once
// Finds a pose from one instant's targets: in closed form from the base outwards, then polished as a whole.
// Used for the first sample and after a gap, so that no method starts far from its target (decision 6).

#include <array>
#include <vector>

#include "panto/ik/integrate.hpp"
#include "panto/ik/row_limits.hpp"
#include "panto/ik/solver.hpp"
#include "panto/ik/solver_options.hpp"
#include "panto/ik/target_path.hpp"
#include "panto/ik/velocity_problem.hpp"
#include "panto/model/kinematics.hpp"
#include "panto/model/state.hpp"
#include "panto/targets/targets.hpp"
#include "panto/tree_qp/active_set.hpp"

namespace panto {

/// Finds poses of one model. The model must outlive it. `align` is noexcept, does not allocate, and takes
/// bounded time.
class Aligner {
 public:
  static constexpr int kMaxIterations = 60;     ///< of the polish
  static constexpr int kMaxStepIterations = 8;  ///< for a step on the way to the targets

  Aligner(const Model& model, const std::vector<Target>& rows, const DynamicalOptions& options,
          const OwnTargets& own = {});

  /// Sets base pose and joints of `state` to a (local) minimum of
  ///   sum w k (1 - cos theta) + 1/2 sum w_p k_p |e|^2   inside the joint limits,
  /// plus the potential of own targets that are on (`OwnRows`, weights times gain), inside coupled rows too.
  /// Its equilibria are those of the dynamical method (theory, section 1.1, App.). Velocities become zero and
  /// the stamp that of the targets. `state` only chooses Euler branches, and joints and base coordinates that
  /// no target determines; with several `align_starts`, or with `align_steps`, the rest pose replaces it for
  /// the joints.
  void align(const Targets& targets, State& state) noexcept;

  /// Fills `StepReport::own_error` for a pose.
  void report(const OwnTargets& own, const State& state, StepReport& report) noexcept;

  /// Returns the cost that `align` minimises, for any pose [weight].
  [[nodiscard]] double potential(const Targets& targets, const State& state) noexcept;

  /// Returns true if, with `align_steps` and several `align_starts`, the last `align` met another minimum
  /// whose cost is lower, or higher by at most 0.05 (one link off by 18 degrees). A motion that comes from
  /// elsewhere may be in that one.
  [[nodiscard]] bool ambiguous() const noexcept { return ambiguous_; }

 private:
  // three joints in series that orient a link, the middle axis perpendicular to both others: with the outer
  // ones rotated by 180 degrees and the middle one mirrored, the link has the same orientation
  struct Triple {
    std::array<int, 3> dof;
    double mirror;  // s_2 of the twin is `mirror` - s_2 [rad]
  };
  void find_triples();
  void align_best(const Targets& targets, State& state) noexcept;
  void align_along(const Targets& targets, State& state) noexcept;
  void compare(const Targets& targets, State& state) noexcept;
  [[nodiscard]] double best_twin(const Targets& targets, State& state) noexcept;
  [[nodiscard]] bool is_elsewhere(const Targets& targets, double versine) const noexcept;
  void align_once(const Targets& targets, State& state) noexcept;
  void place_base(const Targets& targets, State& state) noexcept;
  void solve_groups(const Targets& targets, State& state) noexcept;
  void solve_triple(const JointGroup& group, const Eigen::Matrix3d& R_PC, State& state) noexcept;
  [[nodiscard]] double ascend(const int* bodies, int count, const Eigen::Matrix3d& R_PC,
                              double* s) const noexcept;
  void meet_rows(State& state) noexcept;
  void place_base_position(const Targets& targets, State& state) noexcept;
  [[nodiscard]] double own_cost(const State& state) noexcept;
  void polish(const Targets& targets, State& state, int iterations, double converged) noexcept;
  [[nodiscard]] double cost(const Targets& targets, const Kinematics& kinematics) const noexcept;
  void set_residuals(const Targets& targets) noexcept;
  [[nodiscard]] const Target* row_of(const Targets& targets, int body) const noexcept;

  const Model* model_;
  double gain_scale_ = 1.0;
  std::vector<int> row_of_body_;
  std::vector<Triple> triples_;
  Kinematics kinematics_, trial_kinematics_, led_kinematics_;
  VelocityProblem problem_;
  JointLimits limits_;
  RowLimits row_limits_;
  RowProjection projection_;
  std::vector<unsigned char> no_row_left_out_;
  JointLimits reach_;  // by slot, for the integrator
  Integrator integrator_;
  ActiveSetSolver tree_solver_;
  TreeSolution solution_;
  std::vector<Eigen::Vector3d> angular_, linear_;
  std::vector<Eigen::Matrix3d> R_;
  Eigen::VectorXd lower_, upper_;
  State trial_;
  std::vector<Eigen::VectorXd> starts_;  // joints of the starts; empty: start at the State
  int steps_;                            // steps on the way from rest; 0: none
  double decrease_;                      // relative, of the cost: less ends an alignment
  TargetPath path_;
  State begun_, best_, led_;
  bool ambiguous_ = false;
};

}  // namespace panto
