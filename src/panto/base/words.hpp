#pragma once
// Finds words and sides in names of joints and links of any style.

#include <string>
#include <string_view>
#include <vector>

namespace panto {

/// Side (left or right) that a name contains.
enum class NamedSide : signed char { Right = -1, None = 0, Left = 1 };

/// Returns the words of a name in lower case: "CC_Base_L_ToeBase" -> cc base l toe base; numbers are separate
/// words.
[[nodiscard]] std::vector<std::string> words_of_name(std::string_view name);

/// Returns whether a name contains `part`, which is in lower case, whatever the name's case.
[[nodiscard]] bool mentions(std::string_view name, std::string_view part);

/// Returns the side that one word in lower case means: "left", "l", "lft", "right", "r", "rgt", "rt".
[[nodiscard]] NamedSide side_of_word(std::string_view word);

}  // namespace panto
