#pragma once
// Blocks whose own target determines them, all lanes at once: three axes that reach every angular velocity,
// no damping, no held joint, no targets further out. [docs/algorithms/tree_solver.md]

#include "panto/tree_qp/problem.hpp"

namespace panto {

/// Computes the inverse of every lane's axes (columns: its rows), and 1 if the three reach every angular
/// velocity without damping and the body has a target, else 0. Returns the number of such lanes.
[[nodiscard]] int invert_axes(const TreeProblem& problem, LaneArray<9>& inverse,
                              LaneArray<1>& regular) noexcept;

/// Sets omega = c, the target's own, in every lane; `wanted` is w c.
void take_targets(const LaneArray<3>& wanted, const LaneArray<1>& weights, LaneArray<3>& omega) noexcept;

/// Sets q' = S^-1 (omega - omega of the body before) and rho = q' where `settled` is not 0. Returns a number
/// that is finite if all rates and angular velocities are.
[[nodiscard]] double take_rates(const LaneArray<9>& inverse, const LaneArray<1>& settled,
                                const LaneArray<3>& before, TreeSolution& solution) noexcept;

}  // namespace panto
