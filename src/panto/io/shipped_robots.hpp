#pragma once
// The robots that ship with Panto, by name. Their tables are models/robots/<name>.toml.

#include <string>
#include <string_view>
#include <vector>

#include "panto/model/model.hpp"

namespace panto::io {

/// icub, olivia17, tee7, unitree_g1: in the order of the alphabet.
[[nodiscard]] const std::vector<std::string>& shipped_robots();

/// The robot's table (docs/formats/model_table.md), with its sources in comments. @throws ConfigError that
/// lists the names and the nearest.
[[nodiscard]] std::string_view shipped_robot_table(std::string_view name);

/// The robot. @throws ConfigError as above.
[[nodiscard]] Model shipped_robot(std::string_view name);

}  // namespace panto::io
