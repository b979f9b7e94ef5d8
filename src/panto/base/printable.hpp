#pragma once
// Makes foreign text safe to print on a terminal.

#include <string>
#include <string_view>

namespace panto {

/// Makes text of a user or a file safe for a terminal: control characters and bytes that are not UTF-8 become
/// "\\x1b"; line feeds and tabs stay.
[[nodiscard]] std::string printable(std::string_view text);

}  // namespace panto
