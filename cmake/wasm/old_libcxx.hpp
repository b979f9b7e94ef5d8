#pragma once
// What the standard library of emscripten 3.1.6 (libc++ 13) lacks and the core uses. The preset `wasm`
// includes it before everything else; a newer libc++ gets nothing of it. Texts alone come out of it, no
// result.

#include <version>

#if defined(_LIBCPP_VERSION) && _LIBCPP_VERSION < 14000

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace std {  // NOLINT(cert-dcl58-cpp): that is the point

template <typename To, typename From>
[[nodiscard]] constexpr To bit_cast(const From& from) noexcept {
  return __builtin_bit_cast(To, from);
}

inline to_chars_result to_chars(char* first, char* last, double value, chars_format format, int precision) {
  char text[512];
  const int n =
      snprintf(text, sizeof text, format == chars_format::fixed ? "%.*f" : "%.*g", precision, value);
  if (n < 0 || n >= static_cast<int>(sizeof text) || n > last - first) return {last, errc::value_too_large};
  return {copy(text, text + n, first), errc{}};
}

inline from_chars_result from_chars(const char* first, const char* last, double& value) {
  const string text(first, last);
  char* end = nullptr;
  const double read = strtod(text.c_str(), &end);
  if (end == text.c_str()) return {first, errc::invalid_argument};
  value = read;
  return {first + (end - text.c_str()), errc{}};
}

}  // namespace std

#endif
