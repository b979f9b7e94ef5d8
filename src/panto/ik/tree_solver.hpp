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
#include <array>
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
  Eigen::Vector3d companion = Eigen::Vector3d::Zero();  ///< the same of `TreeProblem::companion`
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
  LaneArray<3> companion;     ///< w c of a second question, all else being the same
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
  TreeSolver(const TreeSolver&) = delete;
  TreeSolver& operator=(const TreeSolver&) = delete;

  /// Takes in geometry, weights and damping. Before the first `minimise` and whenever they change.
  void prepare(const TreeProblem& problem) noexcept;

  /// The minimum with joint i held at `held_rate[i]` where `side[i]` != 0 (null: none; rates of the others
  /// finite). Fills rate, omega and v, `rho` and `curvature`. False when a velocity is not finite. After a
  /// change of `side` only the blocks concerned and those before them are eliminated anew. `companion`: gets
  /// the answer to the second question on the way, at next to no cost; `complete` has yet to be called for it.
  [[nodiscard]] bool minimise(const TreeProblem& problem, const LaneArray<3>* side,
                              const LaneArray<3>& held_rate, TreeSolution& solution,
                              TreeSolution* companion = nullptr) noexcept;
  /// The rates of blocks that absorb, from their bodies' velocities.
  void complete(TreeSolution& companion) noexcept;

  /// The answer to generalised forces alone (cost - force'q'), everything else zero: change of the rates.
  void respond(const TreeProblem& problem, const LaneArray<3>& force, TreeSolution& change) noexcept;

  /// By slot, second derivative of the cost (halved) with regard to each joint, those further out following.
  [[nodiscard]] const LaneArray<3>& curvature() const noexcept { return curvature_; }

 private:
  static constexpr std::size_t kPack = 4;
  template <int N>
  using Pack = Chunk<N, kPack>;

  static constexpr int kQuestions = 2;
  using Places = std::array<const double*, kPack>;

  // One block further out of each of a wave's blocks (-1: none), and where lies what it hands on.
  struct Round {
    std::array<int, kPack> child{-1, -1, -1, -1};
    Places K{}, C{}, M{};
    std::array<Places, kQuestions> b{}, f{};
  };
  // Up to four neighbouring blocks of one chunk, none of which hangs on another: eliminated side by side.
  struct Wave {
    std::size_t first = 0, end = 0;     // lanes of its blocks
    std::size_t chunk = 0, offset = 0;  // the four lanes of a chunk that hold them
    Pack<1> member{};                   // 1 for its blocks, 0 for lanes that belong to others
    std::vector<Round> rounds;
    std::array<std::size_t, kPack> parent{};  // of all four, as first index of a LaneArray<3>
    bool slides = false;                // has a slider
    bool six = false;                   // has a block with a point row on it or further out
    bool held = false;                  // has a held joint
    bool dirty = false;                 // to be eliminated anew
    bool runs = false;                  // has a block whose own target does not settle it
    bool absorbs = false;               // all its blocks do
  };
  // L D L' of a symmetric 3x3 matrix; 1/D is 0 where the pivot vanishes
  struct Factor {
    double l10 = 0.0, l20 = 0.0, l21 = 0.0;
    Vec3 inverse{};
  };
  // cost of a body's velocity (v, omega): v'M v/2 + v'C omega + omega'K omega/2 - v'f - omega'b
  struct Value {
    Pack<6> K, M;
    Pack<9> C;
  };
  struct Pull {
    Pack<3> b, f;
  };
  // eliminated blocks: columns u of the joints (omega part U, v part W), transformed by their factor (Y, V)
  struct Eliminated {
    Pack<6> factor, H;
    Pack<9> U, W, Y, V;
    Pack<3> free;  // 1 or 0 by joint
    Pack<3> arm;   // the block's point from that of the block before
  };
  // ... and what right-hand sides left there
  struct Loaded {
    Pack<3> s;    // of the joints: S'b + ...
    Pack<3> z;    // D^-1 L^-1 of its free part
    Pull handed;  // to the body before
  };
  // what one sweep answers: targets (null: none), or forces on the joints
  struct Load {
    const TreeProblem* targets = nullptr;
    const LaneArray<3>* held_rate = nullptr;
    const LaneArray<3>* force = nullptr;
    TreeSolution* solution = nullptr;
    TreeSolution* companion = nullptr;
    [[nodiscard]] int count() const noexcept { return companion != nullptr ? 2 : 1; }
  };

  static Factor factor(const Sym3& A) noexcept;
  static Factor factor(const Pack<6>& packed, std::size_t l) noexcept;
  static Vec3 forward(const Factor& f, const Vec3& b) noexcept;
  static Vec3 backward(const Factor& f, const Vec3& t) noexcept;
  static Mat3 columns(const Factor& f, const Mat3& A) noexcept;

  void add_waves(const TreeProblem& problem);
  void mark_six(const TreeProblem& problem) noexcept;
  void set_own(const TreeProblem& problem) noexcept;
  void read_working_set(const LaneArray<3>* side) noexcept;
  void find_pattern() noexcept;
  bool point_at(Round& round, std::size_t l, bool seen) noexcept;
  void mark_dirty(std::size_t b) noexcept;
  void load(const Load& given) noexcept;

  template <bool kSix, bool kSlides>
  void wave_inward(const TreeProblem& problem, const Load& given, std::size_t w) noexcept;
  template <bool kSix>
  void absorbing_wave_inward(const TreeProblem& problem, const Load& given, std::size_t w) noexcept;
  template <bool kSix>
  void absorb(const TreeProblem& problem, std::size_t w) noexcept;
  template <bool kSix>
  void pull_absorbing(const Load& given, std::size_t w, int question) noexcept;
  template <bool kSix>
  void place_absorbing(const Load& given, std::size_t w, int question) const noexcept;
  template <bool kSix, bool kSlides>
  void eliminate(const TreeProblem& problem, std::size_t w) noexcept;
  void gather(const Wave& wave, Value& value) const noexcept;
  void set_arms(const TreeProblem& problem, const Wave& wave, Eliminated& e) const noexcept;
  template <bool kSix, bool kSlides>
  void pull(const TreeProblem& problem, const Load& given, std::size_t w, int question) noexcept;
  void gather(const Wave& wave, int question, Pull& pull) const noexcept;
  void add_forces(const Wave& wave, Pull& pull) const noexcept;
  void hold(const Wave& wave, const Chunk<3>& rate, const Eliminated& e, Pack<3>& s,
            Pull& pull) const noexcept;
  void settle_forces(std::size_t w, const LaneArray<3>& force) noexcept;
  void inward(const TreeProblem& problem, const Load& given) noexcept;

  void eliminate_base(const TreeProblem& problem) noexcept;
  void place_base(const TreeProblem& problem, const Load& given, int question) noexcept;
  template <bool kSix, bool kSlides>
  void place(const TreeProblem& problem, const Load& given, std::size_t w, int question) const noexcept;
  void outward(const TreeProblem& problem, const Load& given) noexcept;
  bool sweep(const TreeProblem& problem, const Load& given) noexcept;
  [[nodiscard]] double settle(TreeSolution& solution) noexcept;

  std::size_t base_;
  std::vector<Wave> waves_;  // from the base outwards; the last one is the base itself
  std::vector<std::size_t> wave_of_, place_in_wave_;  // by lane
  std::vector<int> parent_;               // by lane
  std::vector<std::size_t> parent_slot_;  // ... as first index of a LaneArray<3>
  std::vector<unsigned char> six_;        // a point row sits on the body or further out
  std::vector<unsigned char> six_before_;
  std::vector<unsigned char> hands_on_, handed_on_;  // the body before sees it; saw it before the last change
  bool pattern_known_ = false;
  bool all_dirty_ = true;
  bool own_set_ = false;
  bool all_regular_ = false;  // all blocks are
  bool recursion_ = false;    // any wave runs
  std::vector<Value> handed_;
  std::vector<Eliminated> eliminated_;
  std::array<std::vector<Loaded>, kQuestions> loaded_;
  LaneArray<6> own_K_, own_M_;  // of the bodies' targets
  LaneArray<9> own_C_;
  std::array<LaneArray<3>, kQuestions> b_, f_;  // right-hand sides of the bodies' targets
  LaneArray<3> none_;     // zeros
  LaneArray<1> nothing_;  // zeros
  LaneArray<1> turns_;  // 1, or 0 for a slider
  LaneArray<3> side_;
  LaneArray<1> regular_;  // free it can take any angular velocity
  LaneArray<1> absorbs_;  // ... and is free now
  LaneArray<1> changed_;  // its sides are not those of the sweep before
  LaneArray<1> settled_;  // ... and its body's own target decides
  Factor base_K_, base_M_;
  Mat3 base_C_{};
  double base_weight_ = 0.0;   // of points on the base origin
  LaneArray<9> inverse_;       // columns: rows of the inverse of axes
  LaneArray<3> omega_before_;  // angular velocity of the body before
  LaneArray<3> curvature_;
};

}  // namespace panto
