#pragma once
// The joints of Unitree's G1 with 29, in the orders in which controllers take them.

#include <cstdint>
#include <string>
#include <vector>

#include "panto/model/model.hpp"

namespace panto::bridge {

/// Returns their places in State::s in Isaac Lab's order: level by level from the pelvis, left, right, waist.
/// @throws ConfigError naming `controller` and a joint that the model lacks.
[[nodiscard]] std::vector<std::int64_t> g1_isaac_joints(const Model& model, const std::string& controller);

/// The same in Unitree's own order: left leg, right leg, waist, left arm, right arm.
[[nodiscard]] std::vector<std::int64_t> g1_motor_joints(const Model& model, const std::string& controller);

}  // namespace panto::bridge
