#pragma once
// The kernel's problem where every body has a target of its own and all else is one condition after the
// other: a joint that is held, or that is not there, takes one direction of turning away between two bodies.
// The conditions' multipliers are a small symmetric system of their own; bodies between which there is none
// have what their own targets ask (docs/algorithms/decoupled_solver.md).

#include <array>
#include <vector>

#include "panto/ik/velocity_problem.hpp"
#include "panto/math/gather.hpp"
#include "panto/tree_qp/minimiser.hpp"

namespace panto {

/// What bodies shall turn by [rad/s], by lane, and points' velocities [m/s], by row.
struct BodyVelocities {
  const LaneArray<3>* omega = nullptr;
  const std::vector<Eigen::Vector3d>* linear = nullptr;
};

/// Minimum for a given working set, of problems that `settles` says yes to. Nothing allocates after
/// construction.
class DecoupledSolver final : public Minimiser {
 public:
  /// `problem` must outlive this object.
  explicit DecoupledSolver(VelocityProblem& problem);
  DecoupledSolver(const DecoupledSolver&) = delete;
  DecoupledSolver& operator=(const DecoupledSolver&) = delete;

  /// After `choose_rows`, at a pose: the problem is of this kind, no more joints are missing than there are,
  /// and conditions do not meet over many bodies, which the kernel is better at.
  [[nodiscard]] bool settles() noexcept { return problem_->settles() && take_weights(); }

  /// What is asked at the pose that the problem was given, and a second question (without: `second.omega`
  /// null), whose answer goes to every `companion`. The arrays must outlive the answers.
  void ask(const BodyVelocities& first, const BodyVelocities& second) noexcept;

  /// The minimum without bounds: rate, omega, v of the base; of the companion omega and v alone.
  void unbound(TreeSolution& solution, TreeSolution* companion) noexcept;
  /// The minimum with joint i held at `held_rate[i]` [rad/s] where `side[i]` is -1 or 1 (0: free, or no
  /// joint; null: none), and `rho`: a free joint's rate, where a held one's multiplier would lead it
  /// (`curvature`). False when a rate is not finite. Both arrays must outlive `complete`.
  [[nodiscard]] bool minimise(const LaneArray<3>* side, const LaneArray<3>& held_rate, TreeSolution& solution,
                              TreeSolution* companion) noexcept override;
  /// The rates of a companion.
  void complete(TreeSolution& companion) noexcept;

  /// By slot, of held joints: curvature (rate - rho) is the cost's gradient, as of `TreeSolver`; -mu of the
  /// page.
  [[nodiscard]] const LaneArray<3>& curvature() const noexcept override { return curvature_; }

 private:
  // Both questions' numbers, and vectors of them.
  using Two = double __attribute__((vector_size(16)));
  // Of how far a joint would go that alone is let go: less keeps it from leaping to its other bound and back.
  static constexpr double kReach = 0.1;
  // Which joints of a block, by the sum of 1, 2 and 4: a table asks no question that could be guessed wrong.
  struct Numbers {
    std::size_t count;
    std::array<std::size_t, 3> number;
  };
  static constexpr std::array<Numbers, 8> kNumbers{
      {{0, {}}, {1, {0}}, {1, {1}}, {2, {0, 1}}, {1, {2}}, {2, {0, 2}}, {2, {1, 2}}, {3, {0, 1, 2}}}};
  struct Pair3 {
    Two x, y, z;
  };
  // A body that moves by conditions.
  struct Body {
    Pair3 omega{};
    std::size_t slot = 0;  // number 0 of its lane in a LaneArray<3>
    bool moves = false;    // it is in the list
  };
  // Blocks in the order that their conditions are eliminated in: limb by limb, from its tip inwards.
  struct Block {
    std::size_t lane = 0, before = 0;
    std::size_t slot = 0, row = 0;             // number 0 of the lane in a LaneArray<3>, in a LaneArray<9>
    std::size_t missing = 0;                   // joints, of three
    bool hinge = false;                        // fewer than three: damped, and never without a condition
    std::size_t first = 0;                     // block whose conditions are the first to matter to these
    std::size_t couplings = 0;                 // where block 0's would be in `coupling_`
    std::size_t leads = 0, leads_end = 0;      // in `lead_`
    std::size_t dampers = 0, dampers_end = 0;  // in `damper_`
  };
  // By what a body turns for a torque of 1 on the block's own and -1 on the one before.
  struct Lead {
    Body* body = nullptr;
    double share = 0.0;
  };
  // By how much less the block opens for the damping of a hinge that opens by 1.
  struct Damper {
    const Pair3* speed = nullptr;
    double share = 0.0;
  };
  struct Condition {
    Vec3 g{};                         // g'(omega - omega_P) = rate, in world axes
    double inverse = 0.0;             // of the pivot
    Two pull{};                       // how far off without it, then the multiplier
    double reach = 0.0;               // how far a multiplier of 1 leads in the sign test
    std::size_t block = 0;            // in `blocks_`
    std::size_t couplings = 0;        // of it
    std::size_t slot = 0, where = 0;  // of its joint in a LaneArray<3>, of g in `rows_`
    Condition* first = nullptr;       // that matters to this one
    double* row = nullptr;            // of L, from there on
  };
  // Of `hold_many`: what a body yields to a torque (world axes) and how it turns, by question, with the
  // conditions behind it. Vectors are x, y, z, 0.
  struct alignas(32) Columns {
    Four x, y, z;
  };
  struct alignas(32) FreeBody {
    Columns yield;
    std::array<Four, 2> turn;
  };
  // u = (Lambda_C + Lambda_P) g and b = Lambda_P g of the page, both over the pivot; world axes.
  struct alignas(32) HeldJoint {
    Four g, u, b;
    Four pull;           // 1, then by question its multiplier while nothing inwards of it acts
    double reach = 0.0;  // as a condition's
    std::size_t slot = 0;
  };

  void order_blocks();
  [[nodiscard]] bool take_weights() noexcept;
  [[nodiscard]] bool few_missing() const noexcept;
  void find_compliance() noexcept;
  void find_turns(const Block& block) noexcept;
  [[nodiscard]] double opening(const Block& block) const noexcept {
    return turn_[block.lane] - turn_[block.before];
  }
  [[nodiscard]] bool find_leads() noexcept;
  [[nodiscard]] bool find_couplings() noexcept;
  [[nodiscard]] bool find_dampers() noexcept;

  void list_conditions() noexcept;
  void move_bodies_of(const Block& block) noexcept;
  [[nodiscard]] bool all_move() const noexcept;
  // Four pairs by question.
  PANTO_INLINE static void part(const Two& p, const Two& q, const Two& r, const Two& s, Four& first,
                                Four& second) noexcept {
    const Four even = __builtin_shufflevector(p, r, 0, 1, 2, 3),
               odd = __builtin_shufflevector(q, s, 0, 1, 2, 3);
    first = __builtin_shufflevector(even, odd, 0, 4, 2, 6);
    second = __builtin_shufflevector(even, odd, 1, 5, 3, 7);
  }
  static void read_four(const double* first, const double* second, Two Pair3::*number, Body* bodies) noexcept;
  static void write_four(const Body* bodies, Two Pair3::*number, double* first, double* second) noexcept;
  void read(Body& body) const noexcept;
  void read_bodies() noexcept;
  void write_bodies(LaneArray<3>& first, LaneArray<3>& second) noexcept;
  void add_conditions(std::size_t q, const LaneArray<3>& rate) noexcept;
  void eliminate(Condition& own) noexcept;
  void find_multipliers() noexcept;
  void turn_bodies() noexcept;
  void hold(LaneArray<3>& first, LaneArray<3>& second) noexcept;
  static void ask_four(const double* omega, std::size_t question, FreeBody* bodies) noexcept;
  void free_bodies() noexcept;
  void hold_inwards() noexcept;
  void hold_outwards() noexcept;
  static void add_four(const Four& yield, const Pair3* torque, Two Pair3::*number, double* first,
                       double* second) noexcept;
  void add_torques(LaneArray<3>& first, LaneArray<3>& second) noexcept;
  void hold_many(LaneArray<3>& first, LaneArray<3>& second) noexcept;
  void answer(TreeSolution& solution, TreeSolution* companion) noexcept;
  void find_rates(TreeSolution& solution) noexcept;
  [[nodiscard]] bool by_rows() const noexcept { return side_ != nullptr || !hinges_.empty(); }

  VelocityProblem* problem_;
  BodyVelocities first_, second_;
  LaneArray<9> rows_;  // what a condition of each joint says, world axes; columns
  bool rows_known_ = false;
  // 1 or 0: fewer than three joints; row x turns with the middle angle (hinges with an x, or a y alone);
  // there is no z, its row is x cross y
  LaneArray<1> hinge_, x_turns_, z_missing_;
  LaneArray<3> joint_;    // 1: there is one
  LaneArray<1> missing_;  // sum of 1, 2, 4 for joints that are not there

  // of the weights alone
  std::vector<Block> blocks_;
  std::size_t version_ = 0;
  bool fits_ = false;
  std::vector<double> weight_, yield_, carry_, turn_;  // by lane
  std::vector<Lead> lead_;
  std::vector<Damper> damper_;
  std::vector<double> coupling_;
  std::vector<std::size_t> hinges_;  // in `blocks_`

  // of the last minimum
  std::vector<Condition> condition_;
  bool listed_ = false;                // those of missing joints alone
  std::vector<double> factor_, sums_;  // L; the row of L Pi at hand
  std::vector<Condition*> begin_;      // first condition of a block; last: behind all
  std::vector<std::size_t> active_;    // blocks with conditions; of `hold_many` their lanes
  std::size_t active_count_ = 0, moving_count_ = 0;
  std::vector<Pair3> speed_;   // by block, how it opens when the targets alone are asked
  std::vector<Body> bodies_;   // by lane
  std::vector<Body*> moving_;  // those that move by conditions
  LaneArray<1> held_;          // sum of 1, 2, 4 for joints that are held or not there
  std::vector<FreeBody> free_;
  std::vector<Pair3> torque_;
  std::vector<HeldJoint> held_joint_;
  std::vector<HeldJoint*> first_held_;                        // of a block; last: behind all
  const LaneArray<3>*side_ = nullptr, *held_rate_ = nullptr;  // null: none is held
  LaneArray<3> beyond_;                                       // how far beyond its rate a held joint would go
  LaneArray<3> nothing_, scratch_;  // the second question where there is none: zeros; its answer, not read
  LaneArray<3> curvature_;
};

}  // namespace panto
