#include "panto/base/printable.hpp"

#include <algorithm>
#include <array>

#include "panto/base/utf8.hpp"

namespace panto {
namespace {

// Characters beyond ASCII that a terminal obeys: C1 control codes, and the marks, embeddings and separators
// of lines with which a name shows as another one.
struct Range {
  std::string_view first, last;  // in UTF-8, of equal length
};
constexpr std::array<Range, 5> kCommands{{{"\xc2\x80", "\xc2\x9f"},
                                          {"\xd8\x9c", "\xd8\x9c"},
                                          {"\xe2\x80\x8e", "\xe2\x80\x8f"},
                                          {"\xe2\x80\xa8", "\xe2\x80\xae"},
                                          {"\xe2\x81\xa6", "\xe2\x81\xa9"}}};

// Returns the length of a command that begins at `i`; 0: none.
std::size_t command_length(std::string_view text, std::size_t i) {
  const auto byte = static_cast<unsigned char>(text[i]);
  if (byte < 0x80) return byte < 0x20 || byte == 0x7f ? 1 : 0;
  for (const Range& range : kCommands) {
    const std::string_view here = text.substr(i, range.first.size());
    if (here.size() == range.first.size() && here >= range.first && here <= range.last) return here.size();
  }
  return 0;
}

constexpr std::string_view kDigits = "0123456789abcdef";

// `kept`: control characters that stay.
std::string escaped(std::string_view text, std::string_view kept) {
  std::string shown;
  for (std::size_t i = 0; i < text.size();) {
    const bool stays = kept.find(text[i]) != std::string_view::npos;
    const std::size_t command = stays ? 0 : command_length(text, i), length = utf8_length(text, i);
    if (command == 0 && length > 0) {
      shown += text.substr(i, length);
      i += length;
      continue;
    }
    for (const std::size_t end = i + (command > 0 ? command : 1); i < end; ++i) {
      const auto byte = static_cast<unsigned char>(text[i]);
      shown += "\\x";
      shown += kDigits[byte >> 4U];
      shown += kDigits[byte & 0xfU];
    }
  }
  return shown;
}

}  // namespace

std::string printable(std::string_view text) { return escaped(text, "\n\t"); }

std::string printable_name(std::string_view name) { return escaped(name, ""); }

std::string printable_json(std::string_view json) {
  constexpr std::string_view kFirstBytes = "\x7f\xc2\xd8\xe2";
  std::string shown;
  for (std::size_t i = 0; i < json.size();) {
    const std::size_t next = std::min(json.find_first_of(kFirstBytes, i), json.size());
    shown += json.substr(i, next - i);
    i = next;
    if (i == json.size()) break;
    const std::size_t command = command_length(json, i);
    if (command == 0) {
      shown += json[i++];
      continue;
    }
    unsigned code = static_cast<unsigned char>(json[i]) & (command == 1   ? 0x7fU
                                                           : command == 2 ? 0x1fU
                                                                          : 0xfU);
    for (std::size_t k = 1; k < command; ++k)
      code = code << 6U | (static_cast<unsigned char>(json[i + k]) & 0x3fU);
    shown += "\\u";
    for (const unsigned shift : {12U, 8U, 4U, 0U}) shown += kDigits[code >> shift & 0xfU];
    i += command;
  }
  return shown;
}

}  // namespace panto
