#pragma once
// The kernel: minimise over the velocities of a tree of blocks
//
//   sum_o w_o |omega_o - c_o|^2 + sum_p w_p |v_p - c_p|^2 + sum_i lambda_i (q_i' - q_ref,i')^2
//
// with some q_i' held at given values, in O(n): one sweep from the leaves to the base eliminates every block
// from its subtree's quadratic value function, one sweep outwards reads the answer. No Jacobian and no normal
// matrix is ever formed (docs/algorithms/tree_solver.md). Which q_i' are held is `ActiveSetSolver`'s affair.
//
// A block is up to three hinges through one point, or a slider (model/blocks.hpp). Vectors are in world axes;
// a body's velocity is (v of its block's point, omega). Arrays are by lane, those of joints by slot: number k
// of lane b is joint k of block b. A slot without a joint has a zero axis, lambda 1, reference 0, no bounds.

#include <Eigen/Core>
#include <vector>

#include "panto/ik/sparse_rows.hpp"
#include "panto/math/lanes.hpp"
#include "panto/model/blocks.hpp"

namespace panto {

/// One position target: weight |v_point - velocity|^2.
struct PointRow {
  int block = 0;                                       ///< lane
  double weight = 0.0;                                 ///< [1/m^2], >= 0; 0: left out
  Eigen::Vector3d point = Eigen::Vector3d::Zero();     ///< from the base origin, world axes [m]
  Eigen::Vector3d velocity = Eigen::Vector3d::Zero();  ///< wanted [m/s]
};

/// The data of one solve. Lanes as in Blocks: block b is lane b, the base is lane `base`.
struct TreeProblem {
  /// No targets, no bounds, no damping.
  explicit TreeProblem(const Blocks& blocks, bool floating_base, std::size_t point_rows = 0);

  bool floating_base = true;
  std::size_t base = 0;
  std::vector<int> parent;            ///< by lane
  std::vector<unsigned char> slider;  ///< by lane
  LaneArray<9> axes;                  ///< columns: the joints' axes; zero where there is none
  LaneArray<3> centre;        ///< the block's point from the base origin [m]; not looked at without points
  LaneArray<3> lambda;        ///< damping, >= 0; > 0 wherever no target determines the joint
  LaneArray<3> reference;     ///< velocity that the damping pulls to
  LaneArray<3> lower, upper;  ///< velocity bounds, lower <= upper; +-infinity allowed
  LaneArray<1> weight;        ///< w of the body's orientation targets; 0: none
  LaneArray<3> rhs;           ///< w c
  std::vector<PointRow> points;
  double base_linear_lambda = 0.0;
  double base_angular_lambda = 0.0;
  SparseRows rows;                ///< coupled rows over the rates, by slot
  double relaxed_weight = 2.5e5;  ///< of a row that cannot be met [weight per squared rate]; > 0
};

/// The answer: velocities, and what it took.
struct TreeSolution {
  explicit TreeSolution(const TreeProblem& problem);

  LaneArray<3> rate;  ///< q' by slot
  /// By slot: where the coordinate's own optimum lies, everything else staying. Of a free joint that is its
  /// rate; of a held one curvature (rate - rho) is the multiplier.
  LaneArray<3> rho;
  LaneArray<3> omega;  ///< angular velocity of every block's last body [rad/s]
  LaneArray<3> v;  ///< velocity of the block's point [m/s]; of the base and of bodies with points outwards
  int active = 0;  ///< joints, and rows that are no equalities, held by a bound
  int solves = 0;  ///< sweeps done
  bool monotone = false;  ///< block pivoting cycled, the monotone method finished

  /// Adds `factor` times the velocities and rho of `other`: solutions on one working set are linear.
  void add(double factor, const TreeSolution& other) noexcept;
};

/// Elimination for a given working set, with its workspace. Nothing allocates after construction.
class TreeSolver {
 public:
  explicit TreeSolver(const TreeProblem& problem);

  /// Takes in geometry, weights and damping. Before the first `minimise` and whenever they change.
  void prepare(const TreeProblem& problem) noexcept;

  /// The minimum with joint i held at `held_rate[i]` where `held[i]` != 0 (null: none; rates of
  /// the others finite). Fills rate, omega and
  /// v, `rho` and `curvature`. False when a velocity is not finite. After a change of `held` only the blocks
  /// concerned and those before them are eliminated anew.
  [[nodiscard]] bool minimise(const TreeProblem& problem, const signed char* held, const double* held_rate,
                              TreeSolution& solution) noexcept;

  /// The same geometry and working set with other right-hand sides (rhs, points' velocities, reference).
  /// `bodies_only`: the joints' rates are not asked for and may stay what they were.
  void resolve(const TreeProblem& problem, const double* held_rate, TreeSolution& solution,
               bool bodies_only = false) noexcept;

  /// The answer to generalised forces alone (cost - force'q'), everything else zero: change of the rates.
  void respond(const TreeProblem& problem, const double* force, TreeSolution& change) noexcept;

  /// By slot, second derivative of the cost (halved) with regard to each joint, those further out following.
  [[nodiscard]] const LaneArray<3>& curvature() const noexcept { return curvature_; }

 private:
  // L D L' of a symmetric 3x3 matrix; 1/D is 0 where the pivot vanishes
  struct Factor {
    double l10 = 0.0, l20 = 0.0, l21 = 0.0;
    Vec3 inverse{};
  };
  // cost of a body's velocity (v, omega): v'M v/2 + v'C omega + omega'K omega/2 - ...
  struct Value {
    Mat3 K{}, C{}, M{};
  };
  // an eliminated block: columns u of its joints (omega part U, v part W), transformed by its factor (Y, V)
  struct Eliminated {
    Factor factor;
    Mat3 U{}, W{}, Y{}, V{}, H{};
    Vec3 free{};  // 1 or 0 by joint
  };
  // right-hand sides of one sweep; null: zero
  struct Load {
    const TreeProblem* targets = nullptr;
    const double* held_rate = nullptr;
    const double* force = nullptr;
    bool bodies_only = false;
  };

  static Factor factor(const Mat3& A) noexcept;
  static Vec3 forward(const Factor& f, const Vec3& b) noexcept;
  static Vec3 backward(const Factor& f, const Vec3& t) noexcept;
  static Vec3 solve(const Factor& f, const Vec3& b) noexcept;
  static Mat3 columns(const Factor& f, const Mat3& A) noexcept;

  void mark_six(const TreeProblem& problem) noexcept;
  void set_own(const TreeProblem& problem) noexcept;
  void read_working_set(const signed char* held) noexcept;
  void eliminate(const TreeProblem& problem) noexcept;
  [[nodiscard]] Value gather(std::size_t b) const noexcept;
  void absorb(std::size_t b, const Value& value) noexcept;
  void eliminate_block(const TreeProblem& problem, std::size_t b, const Value& value) noexcept;
  void shift(const TreeProblem& problem, std::size_t b) noexcept;
  void eliminate_base(const TreeProblem& problem) noexcept;
  void load(const Load& given) noexcept;
  void inward(const TreeProblem& problem, const Load& given) noexcept;
  void place_base(const TreeProblem& problem, TreeSolution& solution) noexcept;
  void outward(const TreeProblem& problem, const Load& given, TreeSolution& solution) noexcept;
  void place_block(const TreeProblem& problem, const Load& given, std::size_t b,
                   TreeSolution& solution) noexcept;
  bool sweep(const TreeProblem& problem, const Load& given, TreeSolution& solution) noexcept;

  std::size_t base_;
  std::vector<int> first_child_, child_;   // children of lane i: child_[first_child_[i]..first_child_[i + 1])
  std::vector<unsigned char> six_;         // a point row sits on the body or further out
  std::vector<unsigned char> absorbable_;  // free it can take any angular velocity
  std::vector<unsigned char> absorbs_;     // ... and is free now
  std::vector<unsigned char> coupled_;     // its value function is not that of its own target alone
  std::vector<unsigned char> dirty_;       // to be eliminated anew
  std::vector<unsigned char> hands_on_;    // the body before sees it
  std::vector<unsigned> held_;             // two bits a joint
  bool all_dirty_ = true;
  bool own_set_ = false;
  bool all_absorb_ = false;          // all blocks are absorbable
  bool recursion_ = false;           // any block is coupled or does not absorb
  std::vector<Value> own_, handed_;  // of the body's targets; handed to the body before
  std::vector<Eliminated> block_;
  std::vector<Vec3> b_, bu_;  // right-hand sides (omega, v) of the value functions
  std::vector<Vec3> s_, z_;   // of the joints: S'b + ..., and D^-1 L^-1 of their free part
  Factor base_K_, base_M_;
  Mat3 base_C_{};
  double base_weight_ = 0.0;   // of points on the base origin
  LaneArray<9> inverse_;       // columns: rows of the inverse of axes
  LaneArray<1> absorbs_lane_;  // 1 or 0
  LaneArray<3> omega_before_;  // angular velocity of the body before
  LaneArray<3> curvature_;
};

}  // namespace panto
