#pragma once
// Which contacts of hands a robot keeps, in words. (not installed)

#include <string>

#include "panto/robot/map.hpp"

namespace panto::robot {

/// Parses "hands", "body", "hands,body" or "off". @throws ConfigError for others.
/// @param option what the user calls these words.
[[nodiscard]] RelativeTargets parse_relative(const std::string& words, const std::string& option);

}  // namespace panto::robot
