#pragma once
// Robot maps on the command line: what `panto check` asks of `panto map`'s files.

#include <string>

namespace panto::app {

/// Holds a map against its model and prints what is wrong. Exit code: 1 when it cannot be used.
/// @throws FormatError for a map or model that cannot be read.
[[nodiscard]] int check_robot_map_file(const std::string& path, bool json);

}  // namespace panto::app
