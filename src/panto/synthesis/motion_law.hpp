#pragma once
// A motion at any instant: states and their second derivatives as smooth functions of time.

#include <functional>

#include "panto/model/model.hpp"
#include "panto/model/state_acceleration.hpp"
#include "panto/motion/motion.hpp"

namespace panto {

class Synthesis;

/// Fills state and accelerations at a stamp; both of the model's size.
using MotionLaw = std::function<void(Time, State&, StateAcceleration&)>;

/// The formulas of a synthetic motion, exactly. The synthesis is copied; its model must outlive the law.
[[nodiscard]] MotionLaw motion_law(const Synthesis& synthesis);

/// Curves through the states of a motion: splines of joints, base position and base quaternion (normalised
/// afterwards), accelerations continuous. Only the poses of the states count: rates are the curves'. Before
/// the first state and after the last the law holds their pose without moving.
/// @throws ConfigError for fewer than two states, stamps that do not increase, what is not finite, or states
/// of another model.
[[nodiscard]] MotionLaw motion_law(const Motion& motion, const Model& model);

}  // namespace panto
