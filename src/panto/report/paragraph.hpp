#pragma once
// Labels and sentences in two columns, at most 80 wide.

#include <string>
#include <string_view>

namespace panto {

/// Where the right column begins.
inline constexpr std::size_t kLabel = 16;

/// Text of a file on one line, as `printable`.
[[nodiscard]] std::string without_controls(std::string_view text);

/// "  label         words, broken between them and going on under themselves".
[[nodiscard]] std::string paragraph(const std::string& label, std::string_view text,
                                    std::size_t indent = kLabel);

/// Breaks a text between words where lines would be wider than `width`; those after the first are indented.
[[nodiscard]] std::string fitted(std::string_view text, std::size_t width);

}  // namespace panto
