#pragma once
// Solves the kernel's problem if every body has its own target and the rest are conditions: a held or missing
// joint removes one direction of rotation between two bodies. The conditions' multipliers form a small
// symmetric system; bodies without conditions take what their own targets ask for
// (docs/algorithms/decoupled_solver.md).

#include <array>
#include <vector>

#include "panto/ik/velocity_problem.hpp"
#include "panto/math/gather.hpp"
#include "panto/tree_qp/minimiser.hpp"

namespace panto {

/// Wanted angular velocities of bodies [rad/s], by lane, and velocities of points [m/s], by row.
struct BodyVelocities {
  const LaneArray<3>* omega = nullptr;
  const std::vector<Eigen::Vector3d>* linear = nullptr;
};

/// Minimises for a given working set, for problems that satisfy `settles`. Nothing allocates after
/// construction.
class DecoupledSolver final : public Minimiser {
 public:
  /// `problem` must outlive this object.
  explicit DecoupledSolver(VelocityProblem& problem);
  DecoupledSolver(const DecoupledSolver&) = delete;
  DecoupledSolver& operator=(const DecoupledSolver&) = delete;

  /// Returns true if, after `choose_rows` and at a pose, the problem is of this kind, at most half of the
  /// joints are missing, and conditions do not couple many bodies, for which the kernel is faster.
  [[nodiscard]] bool settles() noexcept { return problem_->settles() && take_weights(); }

  /// Sets the wanted velocities at the problem's pose, and those of a second question (none: `second.omega`
  /// null), whose answer goes to every `companion`. The arrays must outlive the answers.
  void ask(const BodyVelocities& first, const BodyVelocities& second) noexcept;

  /// Finds the minimum without bounds: rate, omega and v of the base; only omega and v for the companion.
  void unbound(TreeSolution& solution, TreeSolution* companion) noexcept;
  /// Finds the minimum with joint i held at `held_rate[i]` [rad/s] where `side[i]` is -1 or 1 (0: free or no
  /// joint; null: none held), and `rho`: a free joint's rate; for a held joint, the optimum that its
  /// multiplier indicates (`curvature`). Returns false if a rate is not finite. Both arrays must outlive
  /// `complete`.
  [[nodiscard]] bool minimise(const LaneArray<3>* side, const LaneArray<3>& held_rate, TreeSolution& solution,
                              TreeSolution* companion) noexcept override;
  /// Computes the rates of a companion.
  void complete(TreeSolution& companion) noexcept;

  /// Returns by slot, for held joints: curvature (rate - rho) is the cost's gradient, as in `TreeSolver`; -mu
  /// on the page.
  [[nodiscard]] const LaneArray<3>& curvature() const noexcept override { return curvature_; }

 private:
  // Numbers of both questions, and vectors of them.
  using Two = double __attribute__((vector_size(16)));
  // Share of the distance that a released joint would move: a small share keeps it from jumping to its other
  // bound and back.
  static constexpr double kReach = 0.1;
  // Indices of a block's joints, by the sum of 1, 2 and 4: a table avoids mispredicted branches.
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
    std::size_t slot = 0;  // index 0 of its lane in a LaneArray<3>
    bool moves = false;    // it is in the list
  };
  // Blocks in elimination order: limb by limb, from the tip inwards.
  struct Block {
    std::size_t lane = 0, before = 0;
    std::size_t slot = 0, row = 0;         // index 0 of the lane in a LaneArray<3>, in a LaneArray<9>
    std::size_t missing = 0;               // number of missing joints, of three
    bool hinge = false;                    // fewer than three joints: damped, and never without a condition
    std::size_t first = 0;                 // first block whose conditions couple to these
    std::size_t couplings = 0;             // where block 0's would be in `coupling_`
    std::size_t leads = 0, leads_end = 0;  // in `lead_`
    std::size_t dampers = 0, dampers_end = 0;  // in `damper_`
  };
  // Rotation of a body for a torque of 1 on the block's own body and -1 on the one before.
  struct Lead {
    Body* body = nullptr;
    double share = 0.0;
  };
  // Reduction of the block's opening due to the damping of a hinge that opens by 1.
  struct Damper {
    const Pair3* speed = nullptr;
    double share = 0.0;
  };
  struct Condition {
    Vec3 g{};                         // g'(omega - omega_P) = rate, in world axes
    double inverse = 0.0;             // of the pivot
    Two pull{};                       // the error without it, then the multiplier
    double reach = 0.0;               // effect of a multiplier of 1 in the sign test
    std::size_t block = 0;            // in `blocks_`
    std::size_t couplings = 0;        // of the block
    std::size_t slot = 0, where = 0;  // of its joint in a LaneArray<3>, of g in `rows_`
    Condition* first = nullptr;       // first condition that couples to this one
    double* row = nullptr;            // of L, from `first` on
  };
  // For `hold_many`: a body's response to a torque (world axes) and its rotation, by question, including the
  // conditions after it. Vectors are x, y, z, 0.
  struct alignas(32) Columns {
    Four x, y, z;
  };
  struct alignas(32) FreeBody {
    Columns yield;
    std::array<Four, 2> turn;
  };
  // u = (Lambda_C + Lambda_P) g and b = Lambda_P g on the page, both over the pivot; world axes.
  struct alignas(32) HeldJoint {
    Four g, u, b;
    Four pull;           // 1, then by question its multiplier if nothing inwards of it acts
    double reach = 0.0;  // as of a condition
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
  LaneArray<9> rows_;  // condition vectors of each joint, world axes; columns
  bool rows_known_ = false;
  // 1 or 0: fewer than three joints; row x rotates with the middle angle (hinges with an x, or a y alone); no
  // z, so its row is x cross y
  LaneArray<1> hinge_, x_turns_, z_missing_;
  LaneArray<3> joint_;    // 1: the joint exists
  LaneArray<1> missing_;  // sum of 1, 2, 4 for missing joints

  // depends on the weights only
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
  bool listed_ = false;                // contains only those of missing joints
  std::vector<double> factor_, sums_;  // L; the current row of L Pi
  std::vector<Condition*> begin_;      // first condition of a block; last: end of the list
  std::vector<std::size_t> active_;    // blocks with conditions; their lanes in `hold_many`
  std::size_t active_count_ = 0, moving_count_ = 0;
  std::vector<Pair3> speed_;   // by block, its opening from the targets alone
  std::vector<Body> bodies_;   // by lane
  std::vector<Body*> moving_;  // those that move by conditions
  LaneArray<1> held_;          // sum of 1, 2, 4 for held or missing joints
  std::vector<FreeBody> free_;
  std::vector<Pair3> torque_;
  std::vector<HeldJoint> held_joint_;
  std::vector<HeldJoint*> first_held_;                        // of a block; last: end of the list
  const LaneArray<3>*side_ = nullptr, *held_rate_ = nullptr;  // null: none is held
  LaneArray<3> beyond_;             // distance beyond its rate that a held joint would move
  LaneArray<3> nothing_, scratch_;  // for an unused second question: zeros; its answer, not read
  LaneArray<3> curvature_;
};

}  // namespace panto
