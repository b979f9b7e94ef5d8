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

// the shortest digits that give the value back: of 15 digits %g leaves out the zeros at the end
inline to_chars_result to_chars(char* first, char* last, double value) {
  char text[40];
  int n = 0;
  for (int digits = 15; digits <= 17; ++digits) {
    n = snprintf(text, sizeof text, "%.*g", digits, value);
    if (digits == 17 || strtod(text, nullptr) == value) break;
  }
  if (n > last - first) return {last, errc::value_too_large};
  return {copy(text, text + n, first), errc{}};
}

inline from_chars_result from_chars(const char* first, const char* last, double& value) {
  // most numbers of files: at most 15 digits and a small power of ten, where one division is exact
  constexpr double kTens[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                              1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
  const char* at = first;
  const bool minus = at != last && *at == '-';
  if (minus) ++at;
  long long digits = 0;
  int count = 0, behind = 0;
  bool point = false;
  for (; at != last && ((*at >= '0' && *at <= '9') || (*at == '.' && !point)); ++at) {
    if (*at == '.') {
      point = true;
      continue;
    }
    if (count < 18) digits = 10 * digits + (*at - '0');
    ++count;
    if (point) ++behind;
  }
  const bool more =
      at != last && (*at == 'e' || *at == 'E' || *at == 'i' || *at == 'n' || *at == 'I' || *at == 'N');
  if (count > 0 && count < 18 && digits < (1LL << 53) && behind <= 22 && !more) {
    value = static_cast<double>(digits) / kTens[behind];
    if (minus) value = -value;
    return {at, errc{}};
  }
  const string text(first, first + min<ptrdiff_t>(last - first, 512));
  char* end = nullptr;
  const double read = strtod(text.c_str(), &end);
  if (end == text.c_str()) return {first, errc::invalid_argument};
  value = read;
  return {first + (end - text.c_str()), errc{}};
}

}  // namespace std

#endif
