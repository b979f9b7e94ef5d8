#pragma once
// The kernel: minimise over the velocities of a tree of bodies
//
//   sum_o w_o |omega_body(o) - c_o|^2 + sum_p w_p |v_point(p) - c_p|^2 + sum_i lambda_i (q_i' - q_ref,i')^2
//
// with some joints held at given rates, in O(n): one sweep from the leaves to the base eliminates every joint
// from its subtree's quadratic value function, one sweep outwards reads the answer. No Jacobian and no normal
// matrix is ever formed (docs/algorithms/tree_solver.md). All vectors are in world axes, all points relative
// to the base origin. Which joints are held, so that bounds and coupled rows are met, `ActiveSetSolver`
// decides.

#include <Eigen/Core>
#include <array>
#include <vector>

#include "panto/ik/sparse_rows.hpp"
#include "panto/model/model.hpp"

namespace panto {

/// One position target: weight |v_point - velocity|^2.
struct PointRow {
  int body = 0;
  double weight = 0.0;                                 ///< [1/m^2], >= 0
  Eigen::Vector3d point = Eigen::Vector3d::Zero();     ///< from the base origin, world axes [m]
  Eigen::Vector3d velocity = Eigen::Vector3d::Zero();  ///< wanted [m/s]
};

/// The data of one solve. Sized by the constructor; entry i belongs to body i, entry 0 to the base. All
/// arrays of one value per joint have the same length; an entry that is no joint has no bounds and rate 0.
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
  SparseRows rows;                ///< coupled rows over the rates, by entry; no joint of a ball
  double relaxed_weight = 2.5e5;  ///< of a row that cannot be met [weight per squared rate]; > 0
};

/// The answer: velocities, and what it took.
struct TreeSolution {
  std::vector<double> rate;  ///< q' by entry
  /// The optimum of a joint given everything outwards of it free to follow and everything inwards as it is;
  /// equal to `rate` where the joint is free.
  std::vector<double> rho;
  std::vector<Eigen::Vector3d> omega;  ///< angular velocity of every body [rad/s]
  std::vector<Eigen::Vector3d>
      v_origin;    ///< velocity at the base origin; only entry 0 and bodies with points outwards are kept
  int active = 0;  ///< joints, and rows that are no equalities, held by a bound
  int solves = 0;  ///< sweeps done
  bool monotone = false;  ///< block pivoting cycled, the monotone method finished

  /// Adds `factor` times the velocities and rho of `other`: solutions on one working set are linear.
  void add(double factor, const TreeSolution& other) noexcept;
};

/// The elimination for a given working set, with its workspace. All but the constructor is noexcept and does
/// not allocate.
class TreeSolver {
 public:
  explicit TreeSolver(const TreeProblem& problem);

  /// Minimises with the joints of `working_set` != 0 held at `clamp_rate`; the others' clamp rates are not
  /// looked at. Joints of balls are never held. False when the answer is not finite.
  [[nodiscard]] bool minimise(const TreeProblem& problem, const std::vector<signed char>& working_set,
                              const std::vector<double>& clamp_rate, TreeSolution& solution) noexcept;

  /// The same tree, weights, damping and working set with other right-hand sides (orientation_rhs, points'
  /// velocities, reference): one cheap pass.
  void resolve(const TreeProblem& problem, const std::vector<double>& clamp_rate,
               TreeSolution& solution) noexcept;

  /// How that minimum moves when `gradient`' q' is taken from the cost (halved: V'KV/2 - b'V), by entry: with
  /// H of the free joints, rate = H^-1 gradient. The gradient of a ball's joints must be zero.
  void respond(const TreeProblem& problem, const std::vector<double>& gradient,
               TreeSolution& response) noexcept;

  /// Second derivative of the cost (halved) with regard to each joint, what is outwards of it following:
  /// curvature (clamp rate - rho) is the multiplier of a held joint.
  [[nodiscard]] const std::vector<double>& curvature() const noexcept { return curvature_; }

  [[nodiscard]] TreeSolution make_solution() const;

 private:
  using Vector6 = Eigen::Matrix<double, 6, 1>;
  using Matrix6 = Eigen::Matrix<double, 6, 6>;

  // one joint of the angular recursion
  struct Joint3 {
    Eigen::Vector3d u;   // K S
    double inv_d = 0.0;  // d = S'u + lambda
    double s = 0.0;      // S'b + lambda reference
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
  void clear_rhs() noexcept;
  void backward(const TreeProblem& problem, const std::vector<double>& clamp_rate) noexcept;
  template <class Source>
  void backward_rhs(const TreeProblem& problem, const std::vector<double>& clamp_rate,
                    Source source) noexcept;
  void factor_base(const TreeProblem& problem) noexcept;
  void solve_base(const TreeProblem& problem) noexcept;
  void place_base_at_points(const TreeProblem& problem) noexcept;
  void forward(const TreeProblem& problem, const std::vector<double>& clamp_rate,
               TreeSolution& solution) noexcept;
  [[nodiscard]] static bool is_finite(const TreeSolution& solution) noexcept;

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
  std::vector<unsigned char> held_;
  std::vector<double> curvature_, no_rate_;  // d by joint; zeros
  Matrix6 base_factor_ = Matrix6::Zero();
  Vector6 base_V_ = Vector6::Zero();
};

}  // namespace panto
