#pragma once
// Tables of a robot's motion: with Panto's or BONES-SEED's head, or rows of poses without a head. Internal.

#include <cstddef>
#include <string>
#include <string_view>

#include "panto/io/input.hpp"
#include "panto/io/robot_arrays.hpp"
#include "panto/io/robot_layout.hpp"

namespace panto::io {

inline constexpr std::size_t kMostMotionRows = 20'000'000;
inline constexpr std::size_t kPoseBase = 7;  ///< numbers of a pose before its joints: place, quaternion

/// Returns whether a joint is one of human66 or human48: such a motion is a recording of a person.
[[nodiscard]] bool is_humans_joint(std::string_view name);
/// Sets the orders of a layout.
void take_conventions(const RobotLayout& layout, RobotArrays& arrays);

[[nodiscard]] bool is_robot_table(const Input& input);
/// @throws as `read_robot_arrays`.
[[nodiscard]] RobotArrays read_robot_table(Input& input);
/// Reads rows of x y z, a quaternion and joints, perhaps after a count of frames or a time.
[[nodiscard]] RobotArrays poses_without_head(const FrameRows& rows, std::size_t frames,
                                             const std::string& name);

}  // namespace panto::io
