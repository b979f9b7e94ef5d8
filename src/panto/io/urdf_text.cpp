#include "panto/io/urdf_text.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace panto::io::urdf {
namespace {

constexpr int kShown = 5;

}  // namespace

std::string clipped(std::string_view text) {
  constexpr std::size_t most = 80;
  std::size_t length = std::min(text.size(), most);
  if (length < text.size()) {
    while (length > 0 && (static_cast<unsigned char>(text[length]) & 0xC0U) == 0x80U) --length;
  }
  std::string shown{text.substr(0, length)};
  for (char& c : shown) {
    if (static_cast<unsigned char>(c) < 0x20U) c = '?';
  }
  return shown + (length < text.size() ? "..." : "");
}

std::string in_quotes(std::string_view text) { return "'" + clipped(text) + "'"; }

std::vector<std::string_view> words(std::string_view text, std::size_t most) {
  constexpr std::string_view blank = " \t\r\n";
  std::vector<std::string_view> found;
  for (std::size_t at = text.find_first_not_of(blank); at != std::string_view::npos;) {
    const std::size_t end = std::min(text.find_first_of(blank, at), text.size());
    found.push_back(text.substr(at, end - at));
    if (found.size() >= most) break;
    at = text.find_first_not_of(blank, end);
  }
  return found;
}

void Remarks::add(const std::string& kind, std::string_view item) {
  auto found = std::find_if(kinds_.begin(), kinds_.end(), [&](const Kind& k) { return k.sentence == kind; });
  if (found == kinds_.end()) found = kinds_.insert(kinds_.end(), Kind{kind, {}, 0});
  if (++found->count <= kShown) found->items += (found->count > 1 ? ", " : "") + in_quotes(item);
}

void Remarks::write(const std::string& name, std::vector<std::string>& notes) const {
  for (const Kind& kind : kinds_) {
    const std::string more = kind.count > kShown ? fmt::format(" and {} more", kind.count - kShown) : "";
    notes.push_back(fmt::format("{}: {}: {}{}", name, kind.sentence, kind.items, more));
  }
}

}  // namespace panto::io::urdf
