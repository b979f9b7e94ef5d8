#pragma once
// Evaluates a motion at any instant: states and their second derivatives as smooth functions of time.

#include <functional>

#include "panto/model/model.hpp"
#include "panto/model/state_acceleration.hpp"
#include "panto/motion/motion.hpp"

namespace panto {

class Synthesis;

/// Fills state and accelerations at a stamp; both have the model's size.
using MotionLaw = std::function<void(Time, State&, StateAcceleration&)>;

/// Returns the exact formulas of a synthetic motion. Copies the synthesis; its model must outlive the law.
[[nodiscard]] MotionLaw motion_law(const Synthesis& synthesis);

/// Returns curves through the states of a motion: splines of joints, base position and base quaternion (then
/// normalised) with continuous accelerations. Uses only the poses of the states; rates come from the curves.
/// Before the first state and after the last the law holds their pose at rest. @throws ConfigError for fewer
/// than two states, stamps that do not increase, numbers that are not finite, or states of another model.
[[nodiscard]] MotionLaw motion_law(const Motion& motion, const Model& model);

}  // namespace panto
