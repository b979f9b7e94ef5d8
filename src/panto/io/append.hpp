#pragma once
// Appends formatted text to a string. Every source that calls fmt's own `format_to` compiles it again, for
// more than four seconds; this one compiles once.

#include <fmt/core.h>

#include <string>

namespace panto::io {

/// Appends what `fmt::vformat` would return.
void append_formatted(std::string& text, fmt::string_view format, fmt::format_args values);

/// Appends what `fmt::format` would return.
template <typename... Values>
void append(std::string& text, fmt::format_string<Values...> format, Values&&... values) {
  append_formatted(text, format, fmt::make_format_args(values...));
}

}  // namespace panto::io
