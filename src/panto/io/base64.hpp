#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace panto::io {

/// Encodes bytes by RFC 4648, with padding.
[[nodiscard]] std::string to_base64(std::string_view bytes);
/// Decodes RFC 4648, with or without padding; nothing for any other character.
[[nodiscard]] std::optional<std::string> from_base64(std::string_view text);

}  // namespace panto::io
