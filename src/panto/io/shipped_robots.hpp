#pragma once
// The robots that ship with Panto, by name. Their tables are models/robots/<name>.toml.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "panto/model/model.hpp"

namespace panto::io {

/// icub, olivia17, tee7, unitree_g1: in the order of the alphabet.
[[nodiscard]] const std::vector<std::string>& shipped_robots();

/// Another name of a shipped robot.
struct RobotAlias {
  std::string_view alias, robot;
};
/// All other names: g1 of unitree_g1 and so on.
[[nodiscard]] std::span<const RobotAlias> robot_aliases() noexcept;
/// Returns the robot whose other name this is; any other name as it is. Blind to case.
[[nodiscard]] std::string unaliased(std::string_view name);

/// The robot's table (docs/formats/model_table.md), with its sources in comments. @throws ConfigError that
/// lists the names and the nearest.
[[nodiscard]] std::string_view shipped_robot_table(std::string_view name);

/// The robot. @throws ConfigError as above.
[[nodiscard]] Model shipped_robot(std::string_view name);

}  // namespace panto::io
