#pragma once
// Advances a pose by velocities that are constant over the interval.

#include <Eigen/Core>
#include <vector>

#include "panto/ik/joint_limits.hpp"
#include "panto/ik/solver_options.hpp"
#include "panto/ik/velocity_problem.hpp"

namespace panto {

/// Advances poses of one model.
class Integrator {
 public:
  /// Uses the blocks of `problem` and which triples may rotate as one, and the position limits of `limits`,
  /// by slot. Both must outlive this object.
  Integrator(const VelocityProblem& problem, const JointLimits& limits, Integration method);

  /// Writes the pose at t + dt (base and s, not the velocities; `s` has room for all joints) into `next`,
  /// from `now`, the pose of `problem`; `dt` in s. Free triples rotate as one and are read back on the
  /// nearest Euler branch (decision 4); a limited triple with a held joint, with |det S| < 0.05, or with a
  /// reading outside its bounds moves by its rates. All joints that begin inside their limits end there.
  void advance(const State& now, const VelocityProblem& problem, const TreeSolution& solution,
               const LaneArray<3>& working_set, double dt, State& next) noexcept;

  /// Returns by slot the joint positions after the last `advance` [rad], [m].
  [[nodiscard]] const LaneArray<3>& moved() const noexcept { return moved_; }
  /// Returns by lane 1 if a triple rotated as one in the last `advance`.
  [[nodiscard]] const LaneArray<1>& turned_whole() const noexcept { return near_; }
  /// Returns true if some triples may have rotated as one.
  [[nodiscard]] bool any_whole() const noexcept { return any_whole_; }
  /// Returns true if every block rotated as one.
  [[nodiscard]] bool all_whole() const noexcept { return all_whole_; }
  /// Returns true if a triple that might rotate as one was not read as a small change inside the bounds of
  /// its rates.
  [[nodiscard]] bool any_refused() const noexcept { return any_refused_; }
  /// Returns the number of joints whose rates led beyond a limit by more than 1e-12 in the last `advance`,
  /// also in triples that then rotated as one; 0 if all blocks rotated as one.
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
  // positions by rates, unless all rotate as one; final positions; changes read from rotations
  LaneArray<3> by_rates_, moved_, change_;
  LaneArray<3> sin_, cos_;  // of by_rates_, and the blocks' rotations by them; initially only of `leading_`
  LaneArray<9> L_;
  LaneArray<1> whole_, near_;             // 1: may rotate as one; did so
  std::vector<std::size_t> leading_;      // blocks that rotate by their rates and carry others
  std::vector<unsigned char> leads_on_;   // by lane: a triple that may rotate as one hangs on it
  std::vector<unsigned char> elsewhere_;  // by lane: its orientation differs from its own rotation alone
  bool may_turn_ = false;                 // some triple may rotate as one, whatever is held
  bool any_whole_ = false, all_whole_ = false, any_refused_ = false;
  int clamped_ = 0;
};

}  // namespace panto
