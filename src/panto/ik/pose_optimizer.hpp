#pragma once
// The pose that minimises the potential inside a box and the model's coupled rows: Gauss-Newton with
// Levenberg-Marquardt damping, each step one exact least-squares problem under bounds and rows on the tree
// kernel (docs/algorithms/instantaneous.md).

#include <vector>

#include "panto/ik/solver_options.hpp"
#include "panto/ik/integrate.hpp"
#include "panto/ik/pose_newton.hpp"
#include "panto/ik/pose_potential.hpp"
#include "panto/ik/pose_rows.hpp"
#include "panto/ik/velocity_problem.hpp"
#include "panto/tree_qp/active_set.hpp"

namespace panto {

/// How `minimise` ended. In every case the pose is inside the box and the rows, where they do not contradict
/// each other, and its potential not above that of the start (moved inside, if it was not).
enum class PoseOutcome : unsigned char {
  Converged,  ///< stationary to the tolerance
  Stalled,    ///< no step lowers the potential any more: rounding is reached before the tolerance
  Cap,        ///< out of iterations
  Failed,     ///< not finite
};

/// Finds poses of one model for one set of rows. The model must outlive it.
class PoseOptimizer {
 public:
  /// `balls`: spherical triples without limits turn as one; they then know no box.
  /// @throws ConfigError naming the option or row that is out of range.
  PoseOptimizer(const Model& model, const std::vector<Target>& rows, const PoseOptimizerOptions& options,
                bool balls = true, const OwnTargets& own = {});

  /// Moves base pose and joints of `state` (its warm start) to a local minimum with lower <= s <= upper, by
  /// State::s order. What no target determines keeps its value. noexcept, no allocation, bounded time.
  PoseOutcome minimise(const Targets& targets, const Eigen::VectorXd& lower, const Eigen::VectorXd& upper,
                       State& state) noexcept;

  /// Takes own targets in, as `minimise` does. False: other counts than declared.
  [[nodiscard]] bool read(const OwnTargets& own) noexcept;

  /// Of the last `minimise`: what is left, into `versine`, `origin_error` and `own_error`.
  void report(const Targets& targets, StepReport& report) noexcept {
    potential_.report(targets, report);
    problem_.own().report(report.own_error);
  }
  /// The problem of its steps, which is at the pose found.
  [[nodiscard]] const VelocityProblem& problem() const noexcept { return problem_; }
  /// The projected gradient's largest component.
  [[nodiscard]] double gradient() const noexcept { return gradient_; }
  [[nodiscard]] int iterations() const noexcept { return iterations_; }
  /// Sweeps of the tree solver.
  [[nodiscard]] int solves() const noexcept { return solves_; }
  /// Some step was solved by the monotone method.
  [[nodiscard]] bool monotone() const noexcept { return monotone_; }
  /// Joints and rows that press against their bounds.
  [[nodiscard]] int active() const noexcept { return active_; }

 private:
  // A means that is not always worth its price: after a failure it waits, each time twice as long.
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
    [[nodiscard]] bool failed(bool by_newton, bool far) noexcept;  // false: nothing is left to try
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
  VelocityProblem problem_;  // at the pose, or at the last trial; so is the potential
  PosePotential potential_;
  JointLimits reach_;  // by slot, for the integrator
  Integrator integrator_;
  ActiveSetSolver tree_solver_;
  TreeSolution solution_;
  Eigen::VectorXd lower_, upper_;       // the box
  LaneArray<3> box_lower_, box_upper_;  // by slot
  LaneArray<3> longest_;                // way of a joint in one step
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
