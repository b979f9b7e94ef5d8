#pragma once
// Blocks whose own target settles them, all lanes at once: three axes that reach every angular velocity, no
// damping, no held joint, nothing further out that pulls. [docs/algorithms/tree_solver.md]

#include "panto/tree_qp/problem.hpp"

namespace panto {

/// The inverse of every lane's axes (columns: its rows), and 1 where the three reach every angular velocity,
/// nothing damps them and the body has a target, else 0. Returns how many lanes are so.
[[nodiscard]] int invert_axes(const TreeProblem& problem, LaneArray<9>& inverse,
                              LaneArray<1>& regular) noexcept;

/// omega = c, the target's own, in every lane; `wanted` is w c.
void take_targets(const LaneArray<3>& wanted, const LaneArray<1>& weights, LaneArray<3>& omega) noexcept;

/// q' = S^-1 (omega - omega of the body before) and rho = q' where `settled` is not 0. Returns a number that
/// is finite if all rates and angular velocities are.
[[nodiscard]] double take_rates(const LaneArray<9>& inverse, const LaneArray<1>& settled,
                                const LaneArray<3>& before, TreeSolution& solution) noexcept;

}  // namespace panto
