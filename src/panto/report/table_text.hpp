#pragma once
// Rows of the tables that figures are shown in: a label, numbers under their headings, a unit. Used inside
// this module.

#include <array>
#include <charconv>
#include <cmath>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

namespace panto::table {

inline constexpr std::size_t kLabelWidth = 26;
inline constexpr std::size_t kValueWidth = 12;
inline constexpr std::size_t kLineWidth = 80;

/// Below these a figure is rounding of the arithmetic: it is printed as 0.
inline constexpr double kDegreeRounding = 1e-6, kMetreRounding = 1e-9, kRadianRounding = 1e-9;

/// Four significant digits, without a locale; '-' for what is not known, 0 for what is below `rounding`.
[[nodiscard]] inline std::string number(std::optional<double> value, double rounding = 0.0) {
  if (!value || std::isnan(*value)) return "-";
  if (std::abs(*value) < rounding) return "0";
  std::array<char, 32> text;
  const auto result =
      std::to_chars(text.data(), text.data() + text.size(), *value + 0.0, std::chars_format::general, 4);
  return {text.data(), result.ptr};
}

/// A unit of time, and how many microseconds it has.
struct TimeUnit {
  double us;
  const char* name;
};

/// Returns the unit in which `largest` microseconds read well: us, ms from a thousand, s from a million.
[[nodiscard]] constexpr TimeUnit time_unit(double largest) {
  return largest < 1e3 ? TimeUnit{1.0, "us"} : largest < 1e6 ? TimeUnit{1e3, "ms"} : TimeUnit{1e6, "s"};
}

[[nodiscard]] inline std::string padded_right(std::string_view text, std::size_t width) {
  std::string result(text);
  if (result.size() < width) result.append(width - result.size(), ' ');
  return result;
}

/// The label, then values right-aligned under their headings, then the unit.
[[nodiscard]] inline std::string row(std::string_view label, std::initializer_list<std::string> values,
                                     std::string_view unit) {
  std::string line = padded_right(label, kLabelWidth);
  for (const std::string& value : values) {
    line += std::string(value.size() < kValueWidth ? kValueWidth - value.size() : 1, ' ') + value;
  }
  if (!unit.empty()) line += "  " + std::string(unit);
  return line + "\n";
}

}  // namespace panto::table
