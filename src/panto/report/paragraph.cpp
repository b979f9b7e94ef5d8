#include "panto/report/paragraph.hpp"

#include <algorithm>

#include "panto/base/printable.hpp"

namespace panto {
namespace {

constexpr std::size_t kWidth = 80;

// columns that a text takes: UTF-8's continuation bytes take none
std::size_t columns(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(
      text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0U) != 0x80U; }));
}

}  // namespace

std::string without_controls(std::string_view text) {
  std::string out = printable(text);
  std::replace_if(
      out.begin(), out.end(), [](char c) { return c == '\n' || c == '\t'; }, '?');
  return out;
}

std::string paragraph(const std::string& label, std::string_view text, std::size_t indent) {
  std::string line = "  " + label, out;
  line += std::string(columns(line) < indent ? indent - columns(line) : 1, ' ');
  std::size_t column = columns(line);
  bool begun = false;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    const std::string word = without_controls(text.substr(begin, end - begin));
    if (begun && column + 1 + columns(word) > kWidth) {
      out += line + "\n";
      line = std::string(indent, ' ');
      column = indent;
      begun = false;
    }
    if (begun) line += ' ', ++column;
    line += word;
    column += columns(word);
    begun = true;
    begin = end + 1;
  }
  return out + line + "\n";
}

std::string fitted(std::string_view text, std::size_t width) {
  std::string out;
  for (std::size_t column = 0, at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    if (column > 0 && column + 1 + (end - at) > width) {
      out += "\n  ";
      column = 2;
    } else if (column > 0) {
      out += ' ';
      ++column;
    }
    out += text.substr(at, end - at);
    column += end - at;
    at = end + 1;
  }
  return out;
}

}  // namespace panto
