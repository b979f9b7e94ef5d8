#pragma once

#include <string>
#include <string_view>

namespace panto::io {

/// Encodes bytes by RFC 4648, with padding.
[[nodiscard]] std::string to_base64(std::string_view bytes);

}  // namespace panto::io
