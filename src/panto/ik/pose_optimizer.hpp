#pragma once
// The pose that minimises the potential inside a box and the model's coupled rows: Gauss-Newton with
// Levenberg-Marquardt damping, each step one exact least-squares problem under bounds and rows on the tree
// kernel (docs/algorithms/instantaneous.md).

#include <vector>

#include "panto/ik/active_set.hpp"
#include "panto/ik/integrate.hpp"
#include "panto/ik/pose_newton.hpp"
#include "panto/ik/pose_potential.hpp"
#include "panto/ik/pose_rows.hpp"
#include "panto/ik/velocity_problem.hpp"

namespace panto {

struct PoseOptimizerOptions {
  /// Largest component of the projected gradient at which a pose counts as found [weight]; > 0
  double tolerance = 1e-10;
  /// Steps tried, accepted or not; >= 1. A time budget is given as this number: budget / time of one step.
  int max_iterations = 200;
};

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
                bool balls = true);

  /// Moves base pose and joints of `state` (its warm start) to a local minimum with lower <= s <= upper, by
  /// State::s order. What no target determines keeps its value. noexcept, no allocation, bounded time.
  PoseOutcome minimise(const Targets& targets, const Eigen::VectorXd& lower, const Eigen::VectorXd& upper,
                       State& state) noexcept;

  /// Of the last `minimise`: kinematics at the pose found.
  [[nodiscard]] const Kinematics& kinematics() const noexcept { return kinematics_; }
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

  /// Where the tree solver keeps joint `dof`.
  [[nodiscard]] std::size_t slot_of(int dof) const noexcept {
    return static_cast<std::size_t>(problem_.blocks().slot_of_dof[static_cast<std::size_t>(dof)]);
  }
  void measure(const Targets& targets, const Kinematics& kinematics, const State& state) noexcept;
  [[nodiscard]] bool any_far(const Targets& targets) const noexcept;
  [[nodiscard]] bool is_held(int dof, const State& state) const noexcept;
  void weigh(const Targets& targets, bool recover) noexcept;
  [[nodiscard]] bool propose(const Targets& targets, double mu, bool far, const State& state) noexcept;
  [[nodiscard]] bool propose_newton(const Targets& targets, const State& state, double& shift) noexcept;
  [[nodiscard]] bool trial_is_better(const Targets& targets, const State& state, bool far,
                                     double& value) noexcept;

  const Model* model_;
  PoseOptimizerOptions options_;
  Kinematics kinematics_, trial_kinematics_;
  PosePotential potential_;  // its gradient: at the pose, or at the last trial
  PoseNewton newton_;
  PoseRows rows_;
  VelocityProblem problem_;
  Integrator integrator_;
  ActiveSetSolver tree_solver_;
  TreeSolution solution_;
  Targets weighted_;
  std::vector<Eigen::Vector3d> angular_, linear_;
  Eigen::VectorXd lower_, upper_;    // the box
  Eigen::VectorXd down_, up_;        // distances to the box
  Eigen::VectorXd slope_;            // the projected gradient, of the joints that rows speak of
  std::vector<unsigned char> held_;  // joints that press against it
  State trial_;
  double gradient_ = 0.0;
  int iterations_ = 0, solves_ = 0, active_ = 0;
  bool monotone_ = false;
};

}  // namespace panto
