#pragma once
// Secrets of a run: who knows one may arm, look from elsewhere, or send.

#include <string>
#include <string_view>

namespace panto::bridge {

/// Returns a random token of 128 bits, in hexadecimal digits.
[[nodiscard]] std::string new_token();

/// Compares in a time that does not tell where they differ.
[[nodiscard]] bool same_secret(std::string_view one, std::string_view other) noexcept;

}  // namespace panto::bridge
