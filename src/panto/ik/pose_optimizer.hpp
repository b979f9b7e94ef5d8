#pragma once
// Minimises the pose potential inside a box and the model's coupled rows: Gauss-Newton with
// Levenberg-Marquardt damping; each step is one exact least-squares problem under bounds and rows on the tree
// kernel (docs/algorithms/instantaneous.md).

#include <vector>

#include "panto/ik/integrate.hpp"
#include "panto/ik/pose_newton.hpp"
#include "panto/ik/pose_potential.hpp"
#include "panto/ik/pose_rows.hpp"
#include "panto/ik/solver_options.hpp"
#include "panto/ik/velocity_problem.hpp"
#include "panto/tree_qp/active_set.hpp"

namespace panto {

/// How `minimise` ended. In every case, the pose is inside the box and the rows, if they do not contradict
/// each other, and its potential is not above that of the start (moved inside if necessary).
enum class PoseOutcome : unsigned char {
  Converged,  ///< stationary to the tolerance
  Stalled,    ///< no step lowers the potential: rounding is reached before the tolerance
  Cap,        ///< iteration limit
  Failed,     ///< not finite
};

/// Finds poses of one model for one set of rows. The model must outlive it.
class PoseOptimizer {
 public:
  /// `balls`: spherical triples without limits rotate as one, without a box. @throws ConfigError naming the
  /// option or row that is out of range.
  PoseOptimizer(const Model& model, const std::vector<Target>& rows, const PoseOptimizerOptions& options,
                bool balls = true, const OwnTargets& own = {});

  /// Moves base pose and joints of `state` (its warm start) to a local minimum with lower <= s <= upper, by
  /// State::s order. Coordinates that no target determines keep their values. noexcept, no allocation,
  /// bounded time.
  PoseOutcome minimise(const Targets& targets, const Eigen::VectorXd& lower, const Eigen::VectorXd& upper,
                       State& state) noexcept;

  /// Reads own targets, as `minimise` does. Returns false if the counts differ from the declaration.
  [[nodiscard]] bool read(const OwnTargets& own) noexcept;

  /// Writes the residuals of the last `minimise` to `versine`, `origin_error` and `own_error`.
  void report(const Targets& targets, StepReport& report) noexcept {
    potential_.report(targets, report);
    problem_.own().report(report.own_error);
  }
  /// Returns the problem of its steps, at the pose that was found.
  [[nodiscard]] const VelocityProblem& problem() const noexcept { return problem_; }
  /// Returns the largest component of the projected gradient.
  [[nodiscard]] double gradient() const noexcept { return gradient_; }
  [[nodiscard]] int iterations() const noexcept { return iterations_; }
  /// Returns the number of sweeps of the tree solver.
  [[nodiscard]] int solves() const noexcept { return solves_; }
  /// Returns true if the monotone method solved some step.
  [[nodiscard]] bool monotone() const noexcept { return monotone_; }
  /// Returns the number of joints and rows that press against their bounds.
  [[nodiscard]] int active() const noexcept { return active_; }

 private:
  // A costly step that does not always pay: after each failure it waits twice as long.
  struct Means {
    int wait = 0, pause = 1;
    [[nodiscard]] bool ready() const noexcept { return wait == 0; }
    void pass() noexcept { wait -= wait > 0 ? 1 : 0; }
    void failed() noexcept;
  };
  struct Mode {
    double mu = 0.0;     // damping added to every unknown
    double shift = 0.0;  // of Newton's matrix
    bool slow = false;   // the last step left much of the gradient
    Means recovery;      // residuals near 180 degrees are lengthened
    Means newton;
    void succeeded(bool by_newton, bool left_much) noexcept;
    [[nodiscard]] bool failed(bool by_newton, bool far) noexcept;  // false: nothing left to try
  };

  void set_box(const Eigen::VectorXd& lower, const Eigen::VectorXd& upper) noexcept;
  [[nodiscard]] double value_at(const State& state) noexcept;
  [[nodiscard]] bool any_far() const noexcept { return potential_.any_far() || problem_.own().any_far(); }
  double begin_at(const Targets& targets, const State& state) noexcept;
  void measure(const Targets& targets, const State& state) noexcept;
  int project_rows(const State& state) noexcept;
  [[nodiscard]] bool propose(double mu, bool far, const State& state) noexcept;
  [[nodiscard]] bool propose_newton(const Targets& targets, const State& state, double& shift) noexcept;
  [[nodiscard]] bool trial_is_better(const Targets& targets, bool far, double& value) noexcept;

  const Model* model_;
  PoseOptimizerOptions options_;
  PoseRows rows_;
  VelocityProblem problem_;  // at the pose or at the last trial, as is the potential
  PosePotential potential_;
  JointLimits reach_;  // by slot, for the integrator
  Integrator integrator_;
  ActiveSetSolver tree_solver_;
  TreeSolution solution_;
  Eigen::VectorXd lower_, upper_;       // the box
  LaneArray<3> box_lower_, box_upper_;  // by slot
  LaneArray<3> longest_;                // limit on a joint's step
  LaneArray<1> ball_;                   // 1 or 0 by lane
  LaneArray<3> spoken_of_, slope_,
      held_;  // by slot: rows do; the projected gradient; what presses against the box
  LaneArray<3> moved_;
  Kinematics kinematics_;  // for Newton's step, as the next three: by State::s order
  PoseNewton newton_;
  Eigen::VectorXd slope_of_dof_;
  std::vector<unsigned char> held_dof_;
  State trial_;
  double gradient_ = 0.0;
  int iterations_ = 0, solves_ = 0, active_ = 0;
  bool monotone_ = false;
};

}  // namespace panto
