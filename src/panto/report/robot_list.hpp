#pragma once
// Lists the robots that ship with Panto.

#include <string>

namespace panto::report {

/// Returns a table of names, joints and descriptions, and a hint for other robots.
[[nodiscard]] std::string robot_list_text();
/// Returns the same as one line of JSON, with aliases: {"robots": [{"name", "joints", "description",
/// "aliases"}]}.
[[nodiscard]] std::string robot_list_json();

}  // namespace panto::report
