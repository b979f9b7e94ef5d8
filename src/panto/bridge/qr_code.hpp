#pragma once
// Text as a QR code that a terminal shows.

#include <string>

namespace panto::bridge {

/// Returns lines of block characters, dark on light by terminal colours, with the border that readers need.
/// Empty where this program has no libqrencode inside, or for text that is too long.
[[nodiscard]] std::string qr_code(const std::string& text);

}  // namespace panto::bridge
