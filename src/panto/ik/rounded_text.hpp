#pragma once

#include <array>
#include <charconv>
#include <string>

namespace panto {

/// A number for people, rounded to so many decimals, whatever the locale. Below 1e30 in size; others are
/// "huge".
[[nodiscard]] inline std::string rounded_text(double value, int decimals) {
  std::array<char, 64> text{};
  const auto [end, error] =
      std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed, decimals);
  return error == std::errc{} ? std::string(text.data(), end) : "huge";
}

}  // namespace panto
