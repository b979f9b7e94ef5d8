#pragma once
// UTF-8, as RFC 3629 has it.

#include <cstddef>
#include <string_view>

namespace panto {

/// Returns the bytes of the character that begins at `i`; 0: none does.
[[nodiscard]] std::size_t utf8_length(std::string_view text, std::size_t i) noexcept;

/// Returns true for a text of whole characters: no overlong form, no surrogate, nothing beyond U+10FFFF.
[[nodiscard]] bool is_utf8(std::string_view text) noexcept;

}  // namespace panto
