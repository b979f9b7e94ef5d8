#pragma once
// Text of others on a terminal.

#include <string>
#include <string_view>

namespace panto {

/// Makes text of a user or of a file fit for a terminal: control characters, which could be its commands, and
/// bytes that are no UTF-8 become "\\x1b"; line feeds and tabs stay.
[[nodiscard]] std::string printable(std::string_view text);

}  // namespace panto
