#pragma once
// The name that somebody probably meant.

#include <string>
#include <string_view>
#include <vector>

namespace panto {

/// Returns the name among `valid` that is nearest to `name` by edit distance, blind to case; empty when none
/// is near. Of short names one letter may be wrong, of longer ones two or every third.
[[nodiscard]] std::string nearest_name(std::string_view name, const std::vector<std::string>& valid);

}  // namespace panto
