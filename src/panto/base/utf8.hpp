#pragma once
// UTF-8 according to RFC 3629.

#include <cstddef>
#include <string_view>

namespace panto {

/// Returns the number of bytes of the character that begins at `i`; 0 when no valid character begins there.
[[nodiscard]] std::size_t utf8_length(std::string_view text, std::size_t i) noexcept;

/// Returns true when the text consists of valid characters: no overlong form, no surrogate, nothing beyond
/// U+10FFFF.
[[nodiscard]] bool is_utf8(std::string_view text) noexcept;

}  // namespace panto
