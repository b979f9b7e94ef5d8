#pragma once
// Velocities that are the derivatives of what is published.

#include <vector>

#include "panto/motion/motion.hpp"

namespace panto {

/// Sets the velocities of all States to the derivative of their positions: central differences inside a part,
/// one-sided ones at its ends, zero for a part of one frame. `cuts`: frames that do not continue the one
/// before.
void derive_velocities(Motion& motion, const std::vector<int>& cuts = {});

/// Sets the velocities of `state` to the difference quotient of two others with increasing stamps.
void set_velocities(const State& before, const State& after, State& state) noexcept;

}  // namespace panto
