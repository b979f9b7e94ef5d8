#pragma once
// A pose advanced by velocities that are constant over the interval.

#include <Eigen/Core>
#include <vector>

#include "panto/ik/solver_options.hpp"
#include "panto/ik/joint_limits.hpp"
#include "panto/ik/velocity_problem.hpp"

namespace panto {

/// Advances poses of one model.
class Integrator {
 public:
  /// Of `problem` the blocks and which triples may turn as one rotation are looked at, of `limits`, by slot,
  /// where joints may stand. Both must outlive this object.
  Integrator(const VelocityProblem& problem, const JointLimits& limits, Integration method);

  /// Writes t + dt's pose (base and s, not the velocities; `s` has room for all joints) into `next`, from
  /// `now`, whose pose `problem` was given; `dt` in s. Free triples move as one rotation and are read back on
  /// the nearest Euler branch (decision 4); a limited triple with a held joint, with |det S| < 0.05, or whose
  /// reading would leave its bounds, moves by its rates. All joints end inside their limits if they began
  /// there.
  void advance(const State& now, const VelocityProblem& problem, const TreeSolution& solution,
               const LaneArray<3>& working_set, double dt, State& next) noexcept;

  /// By slot, the joints' positions after the last `advance` [rad], [m].
  [[nodiscard]] const LaneArray<3>& moved() const noexcept { return moved_; }
  /// By lane, 1 where a triple moved as one rotation in the last `advance`.
  [[nodiscard]] const LaneArray<1>& turned_whole() const noexcept { return near_; }
  /// Some may have.
  [[nodiscard]] bool any_whole() const noexcept { return any_whole_; }
  /// Every block did.
  [[nodiscard]] bool all_whole() const noexcept { return all_whole_; }
  /// A triple that might have was not read as a small change inside the bounds of its rates.
  [[nodiscard]] bool any_refused() const noexcept { return any_refused_; }
  /// Joints whose rates led beyond a limit by more than 1e-12 in the last `advance`, also those of triples
  /// that then turned as one rotation; 0 where all did.
  [[nodiscard]] int clamped() const noexcept { return clamped_; }

 private:
  void move(const VelocityProblem& problem, const LaneArray<3>& rate, double dt) noexcept;
  void turn_triples(const VelocityProblem& problem, const LaneArray<3>& rate, const LaneArray<3>& working_set,
                    double dt) noexcept;
  [[nodiscard]] bool read_far(const VelocityProblem& problem, std::size_t b, double dt) noexcept;
  void turn_block(std::size_t b) noexcept;

  const Blocks* blocks_;
  Integration method_;
  const JointLimits* limits_;
  LaneArray<9> N_, before_;  // orientations after the step; of the body before, times Q
  // positions by rates, where not all is whole; as they end; changes read from rotations
  LaneArray<3> by_rates_, moved_, change_;
  LaneArray<3> sin_, cos_;  // of by_rates_, and the blocks' turns by them; at first of `leading_` alone
  LaneArray<9> L_;
  LaneArray<1> whole_, near_;             // 1: may turn as one rotation; turned so
  std::vector<std::size_t> leading_;      // blocks that turn by their rates and lead on
  std::vector<unsigned char> leads_on_;   // by lane: a triple that may turn as one rotation hangs on it
  std::vector<unsigned char> elsewhere_;  // by lane: not where its rotation alone would lead
  bool may_turn_ = false;                 // some triple may, whatever is held
  bool any_whole_ = false, all_whole_ = false, any_refused_ = false;
  int clamped_ = 0;
};

}  // namespace panto
