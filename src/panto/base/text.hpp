#pragma once
// Formats numbers and counts in sentences for people, independent of the locale.

#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

namespace panto {

/// Returns "3.14": a fixed number of decimals; "huge" from 1e30 on.
[[nodiscard]] inline std::string decimals(double value, int count) {
  std::array<char, 64> text{};
  const auto [end, error] =
      std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed, count);
  return error == std::errc{} ? std::string(text.data(), end) : "huge";
}

/// Returns "185.7": a number of significant digits; -0 becomes "0".
[[nodiscard]] inline std::string digits(double value, int count) {
  std::array<char, 64> text{};
  const auto end =
      std::to_chars(text.data(), text.data() + text.size(), value + 0.0, std::chars_format::general, count);
  return {text.data(), end.ptr};
}

/// Returns "43.4" for 43.31: a bound in tenths, rounded up.
[[nodiscard]] inline std::string tenths_above(double value) {
  return decimals(std::ceil(10.0 * value) / 10.0, 1);
}

/// Returns "1 joint", "2 joints"; for nouns whose plural takes an s.
[[nodiscard]] inline std::string counted(std::int64_t count, const std::string& noun) {
  return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

/// Returns "a, b and 3 more": the first `most` words.
[[nodiscard]] inline std::string listed(const std::vector<std::string>& words, std::size_t most,
                                        const std::string& separator = ", ") {
  std::string text;
  for (std::size_t i = 0; i < words.size() && i < most; ++i) text += (i == 0 ? "" : separator) + words[i];
  return words.size() > most ? text + " and " + std::to_string(words.size() - most) + " more" : text;
}

}  // namespace panto
