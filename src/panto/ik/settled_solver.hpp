#pragma once
// The kernel's problem where every body has a target of its own and all else is one condition after the
// other: a joint that is held, or that is not there, takes one direction of turning away between two bodies.
// A sweep inwards and one outwards over those conditions alone; bodies between which there is none have what
// their own targets ask (docs/algorithms/settled_solver.md).

#include <array>
#include <vector>

#include "panto/ik/velocity_problem.hpp"
#include "panto/math/gather.hpp"

namespace panto {

/// What bodies shall turn by [rad/s], by lane, and points' velocities [m/s], by row.
struct BodyVelocities {
  const LaneArray<3>* omega = nullptr;
  const std::vector<Eigen::Vector3d>* linear = nullptr;
};

/// Minimum for a given working set, of problems that `VelocityProblem::settles` speaks of. Nothing allocates
/// after construction.
class SettledSolver {
 public:
  /// `problem` must outlive this object.
  explicit SettledSolver(VelocityProblem& problem);
  SettledSolver(const SettledSolver&) = delete;
  SettledSolver& operator=(const SettledSolver&) = delete;

  /// What is asked at the pose that the problem was given, and a second question (without: `second.omega`
  /// null), whose answer goes to every `companion`. The arrays must outlive the answers.
  void ask(const BodyVelocities& first, const BodyVelocities& second) noexcept;

  /// The minimum without bounds: rate, omega, v of the base; of the companion omega and v alone.
  void unbound(TreeSolution& solution, TreeSolution* companion) noexcept;
  /// The minimum with joint i held at `held_rate[i]` where `side[i]` != 0 (null: none), and `rho`: a free
  /// joint's rate, where a held one's multiplier would lead it (`curvature`). False when a rate is not
  /// finite. Both arrays must outlive `complete`.
  [[nodiscard]] bool minimise(const LaneArray<3>* side, const LaneArray<3>& held_rate, TreeSolution& solution,
                              TreeSolution* companion) noexcept;
  /// The rates of a companion.
  void complete(TreeSolution& companion) noexcept;

  /// By slot, of held joints: curvature (rate - rho) is the multiplier, as of `TreeSolver`.
  [[nodiscard]] const LaneArray<3>& curvature() const noexcept { return curvature_; }

 private:
  // Both questions' vectors.
  using Two = double __attribute__((vector_size(16)));
  struct Pair3 {
    Two x, y, z;
  };
  // One block, and the body behind it with all that is further out. K, b: of half the cost of its velocity.
  struct Node {
    std::size_t lane = 0, before = 0, slot = 0;  // number 0 of the lane in a LaneArray<3>
    std::array<bool, 3> there{};                 // joints
    bool triple = false, fed = false;            // blocks further out hand something on to it
    int rows = 0;                                // conditions
    std::array<std::size_t, 3> number{};         // of a condition: of the joint in its block
    // condition k: g'(omega - omega_P) = rate, in world axes
    std::array<Vec3, 3> u{}, v{};                    // Phi g; g - lambda u
    std::array<std::array<double, 3>, 3> inverse{};  // of g'u
    std::array<double, 3> reach{};                   // g'u: how far a multiplier of 1 leads
    std::array<Two, 3> pull{};
    Sym3 K{};
    Pair3 b{}, own{};  // own: with what its target asks, then Phi times that
    Sym3 Phi{};        // (K + w + lambda)^-1; of a body that is not fed a number, `ease`
    double weight = 0.0, lambda = 0.0, ease = 0.0;
  };

  static Pair3 times(const Sym3& A, const Pair3& b) noexcept;
  static Vec3 yield(const Node& node, const Vec3& pull) noexcept;
  static Pair3 yield(const Node& node, const Pair3& pull) noexcept;
  void find_conditions(Node& node) const noexcept;
  template <int R>
  void hand_on(Node& node, Node& before) const noexcept;
  template <int R>
  [[nodiscard]] Pair3 place(const Node& node, const Pair3& before) noexcept;
  Pair3 asked(const Node& node, const LaneArray<3>& first, const LaneArray<3>& second) const noexcept;
  void inward(LaneArray<3>& first, LaneArray<3>& second) noexcept;
  void outward(LaneArray<3>& first, LaneArray<3>& second) noexcept;
  void answer(TreeSolution& solution, TreeSolution* companion) noexcept;

  VelocityProblem* problem_;
  BodyVelocities first_, second_;
  LaneArray<9> rows_;  // what a condition of each joint says, world axes; columns
  bool rows_known_ = false;
  LaneArray<1> hinge_, x_turns_, z_missing_;  // 1 or 0: kinds of blocks
  std::vector<Node> nodes_;                   // by lane of a block, and the base
  std::vector<Node*> working_;                // those with conditions before or behind them, outermost first
  LaneArray<1> stands_;                       // some joint of the block is held
  const LaneArray<3>*side_ = nullptr, *held_rate_ = nullptr;  // of the last minimum; null: none is held
  LaneArray<3> beyond_;                                       // how far beyond its rate a held joint would go
  LaneArray<3> unasked_, unheld_, curvature_;
};

}  // namespace panto
