#pragma once
// The kernel: minimise over the velocities of a tree of blocks
//
//   sum_o w_o |omega_o - c_o|^2 + sum_p w_p |v_p - c_p|^2 + sum_i lambda_i (q_i' - q_ref,i')^2
//     + lambda_omega |omega_base|^2 + lambda_v |v_base|^2
//
// with some q_i' held at given values, in O(n): one sweep from the leaves to the base eliminates every block
// from its subtree's quadratic value function, one sweep outwards reads the answer. Never forms a Jacobian or
// a normal matrix (docs/algorithms/tree_solver.md). `ActiveSetSolver` decides which joints are held.
//
// A block is up to three hinges through one point, or a slider. Four independent blocks are processed side by
// side (waves.hpp).

#include <array>
#include <vector>

#include "panto/math/ldl3.hpp"
#include "panto/tree_qp/hinges.hpp"
#include "panto/tree_qp/problem.hpp"
#include "panto/tree_qp/waves.hpp"

namespace panto {

/// Elimination for a given working set, with its workspace. Nothing allocates after construction.
class TreeSolver {
 public:
  explicit TreeSolver(const TreeProblem& problem);
  TreeSolver(const TreeSolver&) = delete;
  TreeSolver& operator=(const TreeSolver&) = delete;

  /// Takes geometry, weights and damping. Call it before the first `minimise` and whenever they change.
  void prepare(const TreeProblem& problem) noexcept;

  /// Finds the minimum with joint i held at `held_rate[i]` [rad/s], [m/s] where `side[i]` != 0 (null: none;
  /// rates of the others finite). Fills rate, omega, v and `rho`, and `curvature()`. Returns false if a
  /// velocity of `solution` is not finite; `companion` is not checked. After a change of `side`, eliminates
  /// only the blocks concerned and those before them. `companion`: gets the answer to the second question at
  /// almost no cost; it still needs `complete`.
  [[nodiscard]] bool minimise(const TreeProblem& problem, const LaneArray<3>* side,
                              const LaneArray<3>& held_rate, TreeSolution& solution,
                              TreeSolution* companion = nullptr) noexcept;
  /// Computes the rates of blocks that absorb, from their bodies' velocities. Call it before the next
  /// `minimise` or `prepare`.
  void complete(TreeSolution& companion) noexcept;

  /// After `minimise`: computes the change of the rates by generalised forces alone (half the cost -
  /// force'q'), everything else zero.
  void respond(const TreeProblem& problem, const LaneArray<3>& force, TreeSolution& change) noexcept;
  /// The same with an additional force (on v) and moment (on omega) on the base.
  void respond(const TreeProblem& problem, const LaneArray<3>& force, const Vec3& base_force,
               const Vec3& base_moment, TreeSolution& change) noexcept;

  /// Returns by slot the second derivative of half the cost by each joint, with the joints further out
  /// optimal. Undefined for blocks that absorb: their rho is their rate.
  [[nodiscard]] const LaneArray<3>& curvature() const noexcept { return curvature_; }

 private:
  void set_own(const TreeProblem& problem) noexcept;
  void load(const Load& given) noexcept;
  void load_forces(const LaneArray<3>& force) noexcept;

  template <bool kSix, bool kSlides>
  void wave_inward(const TreeProblem& problem, const Load& given, std::size_t w) noexcept;
  void hinge_wave_inward(const TreeProblem& problem, const Load& given, std::size_t w) noexcept;
  template <bool kSix>
  void absorbing_wave_inward(const Load& given, std::size_t w) noexcept;
  template <bool kSix>
  void absorb(std::size_t w) noexcept;
  template <bool kSix>
  void pull_absorbing(std::size_t w, int question) noexcept;
  template <bool kSix>
  void place_absorbing(const Load& given, std::size_t w, int question) const noexcept;
  template <bool kSix, bool kSlides>
  void eliminate(const TreeProblem& problem, std::size_t w) noexcept;
  void gather(const Wave& wave, FourValues& value) const noexcept;
  template <bool kSix, bool kSlides>
  void pull(const TreeProblem& problem, const Load& given, std::size_t w, int question) noexcept;
  void gather(const Wave& wave, int question, FourPulls& pull) const noexcept;
  template <bool kSix>
  void hold(const Wave& wave, const Chunk<3>& rate, const Eliminated& e, Pack<3>& s,
            FourPulls& pull) const noexcept;
  void inward(const TreeProblem& problem, const Load& given) noexcept;

  void eliminate_base(const TreeProblem& problem) noexcept;
  void place_base(const TreeProblem& problem, const Load& given, int question) noexcept;
  template <bool kSix, bool kSlides>
  void place(const TreeProblem& problem, const Load& given, std::size_t w, int question) const noexcept;
  void outward(const TreeProblem& problem, const Load& given) noexcept;
  bool sweep(const TreeProblem& problem, const Load& given) noexcept;
  [[nodiscard]] double settle(TreeSolution& solution) noexcept;

  std::size_t base_;
  LaneSources parent_;
  TreeWaves waves_;
  bool recursion_ = false;  // a wave may take part in it
  std::vector<Eliminated> eliminated_;
  std::array<std::vector<Loaded>, kQuestions> loaded_;
  TreeHinges hinges_;           // for waves of single hinges
  bool own_set_ = false;        // the next three are valid for the prepared problem
  LaneArray<6> own_K_, own_M_;  // of the bodies' own targets
  LaneArray<3> arm_;            // a block's point from that of the block before, if there are points
  LaneArray<9> own_C_;
  std::array<LaneArray<3>, kQuestions> b_, f_;  // right-hand sides of the bodies' targets
  LaneArray<3> zeros_;
  LaneArray<3> force_;         // of `respond`, on joints of blocks that do not absorb
  LaneArray<1> turns_;         // 1, or 0 for a slider
  bool all_regular_ = false;   // all blocks are regular
  LaneArray<1> regular_;       // undamped, with target, and able to reach any angular velocity when free
  Ldl3 base_K_{}, base_M_{};   // factors of K, and of M - C K^-1 C'
  Mat3 base_V_{};              // C L'^-1
  double base_weight_ = 0.0;   // of points on the base origin
  LaneArray<9> inverse_;       // columns: rows of the inverse of axes
  LaneArray<3> omega_before_;  // angular velocity of the body before
  LaneArray<3> curvature_;
};

}  // namespace panto
