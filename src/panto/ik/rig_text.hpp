#pragma once
// Numbers in the reasons of rig decisions.

#include <array>
#include <charconv>
#include <string>

namespace panto {

/// "3.14": so many decimals.
[[nodiscard]] inline std::string decimals(double value, int count) {
  std::array<char, 400> text{};
  const auto end =
      std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed, count);
  return {text.data(), end.ptr};
}

/// "185.7": so many digits that count.
[[nodiscard]] inline std::string digits(double value, int count) {
  std::array<char, 64> text{};
  const auto end =
      std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::general, count);
  return {text.data(), end.ptr};
}

}  // namespace panto
