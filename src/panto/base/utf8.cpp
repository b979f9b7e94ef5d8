#include "panto/base/utf8.hpp"

namespace panto {

std::size_t utf8_length(std::string_view text, std::size_t i) noexcept {
  const auto byte = [&](std::size_t k) { return k < text.size() ? static_cast<unsigned char>(text[k]) : 0U; };
  const unsigned first = byte(i), second = byte(i + 1);
  const auto follows = [&](std::size_t k) { return (byte(k) & 0xc0U) == 0x80U; };
  if (first < 0x80) return 1;
  if (first >= 0xc2 && first <= 0xdf) return follows(i + 1) ? 2 : 0;
  if (first >= 0xe0 && first <= 0xef) {
    const bool overlong = first == 0xe0 && second < 0xa0, surrogate = first == 0xed && second > 0x9f;
    return !overlong && !surrogate && follows(i + 1) && follows(i + 2) ? 3 : 0;
  }
  if (first >= 0xf0 && first <= 0xf4) {
    const bool overlong = first == 0xf0 && second < 0x90, beyond = first == 0xf4 && second > 0x8f;
    return !overlong && !beyond && follows(i + 1) && follows(i + 2) && follows(i + 3) ? 4 : 0;
  }
  return 0;
}

bool is_utf8(std::string_view text) noexcept {
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = utf8_length(text, i);
    if (length == 0) return false;
    i += length;
  }
  return true;
}

}  // namespace panto
