#pragma once
// Robots that ship with Panto, by name. Their tables are models/robots/<name>.toml.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "panto/model/model.hpp"

namespace panto::io {

/// Returns booster_t1, fourier_gr1, icub, nao, olivia17, talos, tee7, unitree_g1, unitree_h1, unitree_h1_2.
[[nodiscard]] const std::vector<std::string>& shipped_robots();

/// An alias of a shipped robot.
struct RobotAlias {
  std::string_view alias, robot;
};
/// Returns all aliases: g1 of unitree_g1 and so on.
[[nodiscard]] std::span<const RobotAlias> robot_aliases() noexcept;
/// Returns the robot of an alias; any other name unchanged. Ignores case.
[[nodiscard]] std::string unaliased(std::string_view name);

/// Returns the robot's table (docs/formats/model_table.md), with sources in comments. @throws ConfigError
/// that lists the names and the nearest.
[[nodiscard]] std::string_view shipped_robot_table(std::string_view name);

/// Returns where the robot's numbers come from: file, commit and licence. @throws ConfigError as above.
[[nodiscard]] std::string shipped_robot_source(std::string_view name);

/// Returns the robot. @throws ConfigError as above.
[[nodiscard]] Model shipped_robot(std::string_view name);

}  // namespace panto::io
