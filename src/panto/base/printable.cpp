#include "panto/base/printable.hpp"

#include "panto/base/utf8.hpp"

namespace panto {

std::string printable(std::string_view text) {
  std::string shown;
  const auto escape = [&shown](unsigned char byte) {
    constexpr std::string_view digit = "0123456789abcdef";
    shown += "\\x";
    shown += digit[byte >> 4U];
    shown += digit[byte & 0xfU];
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    // U+0080 to U+009F are control codes too; in UTF-8 they are 0xc2 and the code
    const bool long_command =
        byte == 0xc2 && i + 1 < text.size() && static_cast<unsigned char>(text[i + 1]) < 0xa0;
    if (long_command) {
      escape(byte);
      escape(static_cast<unsigned char>(text[++i]));
      continue;
    }
    const bool command = (byte < 0x20 && byte != '\n' && byte != '\t') || byte == 0x7f;
    const std::size_t length = command ? 0 : utf8_length(text, i);
    if (length == 0) {
      escape(byte);
    } else {
      shown += text.substr(i, length);
      i += length - 1;
    }
  }
  return shown;
}

}  // namespace panto
