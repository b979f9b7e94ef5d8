#pragma once
// Words and sides in names of joints and links, whatever their style.

#include <string>
#include <string_view>
#include <vector>

namespace panto {

/// Side that a name claims.
enum class NamedSide : signed char { Right = -1, None = 0, Left = 1 };

/// Words of a name in lower case: "CC_Base_L_ToeBase" -> cc base l toe base; numbers are words of their own.
[[nodiscard]] std::vector<std::string> words_of_name(std::string_view name);

/// Side that one word in lower case claims: "left", "l", "lft", "right", "r", "rgt", "rt".
[[nodiscard]] NamedSide side_of_word(std::string_view word);

}  // namespace panto
