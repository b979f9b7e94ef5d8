#pragma once
// Makes foreign text safe to print on a terminal.

#include <string>
#include <string_view>

namespace panto {

/// Makes text of a user or a file safe for a terminal: control characters, marks that turn the direction of
/// writing, and bytes that are not UTF-8 become "\\x1b"; line feeds and tabs stay.
[[nodiscard]] std::string printable(std::string_view text);
/// The same for a name inside a line: line feeds and tabs become "\\x0a" and "\\x09" too.
[[nodiscard]] std::string printable_name(std::string_view name);
/// The same for JSON of valid UTF-8, whose texts then hold "\\u009b" and stay equal.
[[nodiscard]] std::string printable_json(std::string_view json);

}  // namespace panto
