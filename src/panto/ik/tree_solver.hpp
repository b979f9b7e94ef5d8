#pragma once
// The kernel: minimise over the velocities of a tree of bodies
//
//   sum_o w_o |omega_body(o) - c_o|^2 + sum_p w_p |v_point(p) - c_p|^2 + sum_i lambda_i (q_i' - q_ref,i')^2
//
// under lower <= q' <= upper, in O(n): one sweep from the leaves to the base eliminates every joint from its
// subtree's quadratic value function, one sweep outwards reads the answer. No Jacobian and no normal matrix
// is ever formed (docs/algorithms/tree_solver.md). All vectors are in world axes, all points relative to the
// base origin.

#include <Eigen/Core>
#include <array>
#include <utility>
#include <vector>

#include "panto/model/model.hpp"

namespace panto {

/// One position target: weight |v_point - velocity|^2.
struct PointRow {
  int body = 0;
  double weight = 0.0;                                 ///< [1/m^2], >= 0
  Eigen::Vector3d point = Eigen::Vector3d::Zero();     ///< from the base origin, world axes [m]
  Eigen::Vector3d velocity = Eigen::Vector3d::Zero();  ///< wanted [m/s]
};

/// The data of one solve. Sized by the constructor; entry i belongs to body i, entry 0 to the base.
struct TreeProblem {
  explicit TreeProblem(const Tree& tree, bool floating_base, std::size_t point_rows = 0);

  bool floating_base = true;
  std::vector<int> parent;
  std::vector<Eigen::Vector3d> angular;  ///< turning axis of the joint (zero for a slider)
  std::vector<Eigen::Vector3d> linear;   ///< its velocity at the base origin: p x axis, or the slider's axis
  std::vector<double> lambda;            ///< damping; > 0 wherever no target determines the joint
  std::vector<double> reference;         ///< velocity that the damping pulls to
  std::vector<double> lower, upper;      ///< velocity bounds, lower <= upper; +-infinity allowed
  std::vector<double> orientation_weight;        ///< sum of w over the body's orientation targets
  std::vector<Eigen::Vector3d> orientation_rhs;  ///< sum of w c
  /// Ball joints: three bodies each, proximal first, whose axes are x, y, z of the world, without bounds. One
  /// that is undamped and whose last body has an orientation target takes whatever velocity that body wants:
  /// it hands nothing on to the body before it.
  std::vector<std::array<int, 3>> balls;
  std::vector<PointRow> points;  ///< rows of weight 0 are left out
  double base_linear_lambda = 0.0;
  double base_angular_lambda = 0.0;
};

/// How a solution was reached.
enum class TreeStatus : unsigned char {
  Exact,     ///< KKT point
  Feasible,  ///< iteration cap: inside all bounds, cost not above that of the start
  Failed,    ///< not finite
};

/// The answer: velocities, and what it took.
struct TreeSolution {
  std::vector<double> rate;            ///< q' by body; entry 0 unused
  std::vector<Eigen::Vector3d> omega;  ///< angular velocity of every body [rad/s]
  std::vector<Eigen::Vector3d>
      v_origin;    ///< velocity at the base origin; only entry 0 and bodies with points outwards are kept
  int active = 0;  ///< joints held by a bound
  int solves = 0;  ///< sweeps done
  bool monotone = false;  ///< block pivoting cycled, the monotone method finished
};

/// Caps that bound the time of a solve.
struct TreeSolverOptions {
  int max_pivots = 12;     ///< block-pivoting sweeps before the monotone method takes over; >= 1
  int max_monotone = 120;  ///< monotone sweeps before the feasible iterate is returned; >= 1
};

/// Solver with its workspace and its warm start. `solve` and `resolve` are noexcept and do not allocate.
class TreeSolver {
 public:
  /// @throws ConfigError when a cap is below 1.
  explicit TreeSolver(const TreeProblem& problem, const TreeSolverOptions& options = {});

  /// Minimises. The working set of the previous call is the first guess.
  [[nodiscard]] TreeStatus solve(const TreeProblem& problem, TreeSolution& solution) noexcept;

  /// The same tree, weights, damping and working set with other right-hand sides (orientation_rhs, points'
  /// velocities, reference): one cheap pass. Bounds are not looked at: joints at a bound keep
  /// `clamp_rate[i]`.
  void resolve(const TreeProblem& problem, const std::vector<double>& clamp_rate,
               TreeSolution& solution) noexcept;

  /// -1, 0, +1: held by its lower bound, free, held by its upper bound.
  [[nodiscard]] const std::vector<signed char>& working_set() const noexcept { return set_; }
  /// Forgets the working set.
  void reset() noexcept;

  [[nodiscard]] TreeSolution make_solution() const;

 private:
  using Vector6 = Eigen::Matrix<double, 6, 1>;
  using Matrix6 = Eigen::Matrix<double, 6, 6>;

  // one joint of the angular recursion
  struct Joint3 {
    Eigen::Vector3d u;  // K S
    double d = 0.0;     // S'u + lambda
    double inv_d = 0.0;
    double s = 0.0;  // S'b + lambda reference
  };
  struct Joint6 {
    Vector6 S, u;
  };

  // what a body is to the recursion
  enum class Role : unsigned char {
    Joint,      // eliminated by itself
    BallFirst,  // the three bodies of an absorbing ball
    BallMiddle,
    BallLast,
  };

  void mark_six(const TreeProblem& problem) noexcept;
  void mark_balls(const TreeProblem& problem) noexcept;
  void place_ball(const TreeProblem& problem, std::size_t first, TreeSolution& solution) noexcept;
  void load(const TreeProblem& problem) noexcept;
  void load_rhs(const TreeProblem& problem) noexcept;
  void backward(const TreeProblem& problem) noexcept;
  void backward_rhs(const TreeProblem& problem, const std::vector<double>& clamp_rate) noexcept;
  void factor_base(const TreeProblem& problem) noexcept;
  void solve_base(const TreeProblem& problem) noexcept;
  void forward(const TreeProblem& problem, const std::vector<double>& clamp_rate,
               TreeSolution& solution) noexcept;
  [[nodiscard]] bool sweep(const TreeProblem& problem, TreeSolution& solution) noexcept;
  int next_working_set(const TreeProblem& problem) noexcept;
  [[nodiscard]] std::pair<double, std::size_t> first_blocking(const TreeProblem& problem,
                                                              const TreeSolution& solution) const noexcept;
  [[nodiscard]] std::size_t worst_clamped(const TreeProblem& problem) const noexcept;
  [[nodiscard]] TreeStatus monotone(const TreeProblem& problem, TreeSolution& solution) noexcept;
  void set_clamp_rates(const TreeProblem& problem) noexcept;
  [[nodiscard]] static bool is_finite(const TreeSolution& solution) noexcept;

  TreeSolverOptions options_;
  std::size_t n_;
  bool base_six_ = false;
  std::vector<unsigned char> six_;  // body's subtree holds a point row
  std::vector<Role> role_;
  std::vector<int> ball_of_first_;      // index into problem.balls
  std::vector<unsigned char> coupled_;  // a child handed something to the body: K is not w I
  std::vector<Eigen::Matrix3d> K3_;
  std::vector<Eigen::Vector3d> b3_;
  std::vector<Joint3> joint_;
  std::vector<Matrix6> K6_;  // (linear, angular)
  std::vector<Vector6> b6_;
  std::vector<Joint6> joint6_;
  std::vector<signed char> set_;
  std::vector<double> rho_, clamp_rate_;  // coordinate optimum given the parent; value of clamped joints
  Matrix6 base_factor_ = Matrix6::Zero();
  Vector6 base_V_ = Vector6::Zero();
  std::vector<double> iterate_;
  Vector6 iterate_V_ = Vector6::Zero();
};

}  // namespace panto
