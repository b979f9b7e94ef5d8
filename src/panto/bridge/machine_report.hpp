#pragma once
// What this computer allows a live run, for people and as JSON.

#include <string>
#include <vector>

#include "panto/live/machine.hpp"

namespace panto::bridge {

/// Returns a line per finding, and its remedy below it.
[[nodiscard]] std::string to_text(const std::vector<live::Finding>& findings);
/// Returns a JSON array: `subject`, `state`, `good`, `remedy`.
[[nodiscard]] std::string to_json(const std::vector<live::Finding>& findings);

}  // namespace panto::bridge
