#pragma once
// Which contacts of hands a robot keeps, in words. (not installed)

#include <string>

#include "panto/robot/map.hpp"

namespace panto::robot {

/// Parses "hands", "body", "hands,body" or "off", the words after --relative. @throws ConfigError for others.
[[nodiscard]] RelativeTargets parse_relative(const std::string& words);

}  // namespace panto::robot
