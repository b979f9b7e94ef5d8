#pragma once
// Suggests the name that a user probably meant.

#include <string>
#include <string_view>
#include <vector>

namespace panto {

/// Returns the name among `valid` that is nearest to `name` by edit distance, ignoring case, or the only one
/// that begins with it; empty when none is near. Short names may have one wrong letter, longer names two or
/// every third.
[[nodiscard]] std::string nearest_name(std::string_view name, const std::vector<std::string>& valid);

}  // namespace panto
