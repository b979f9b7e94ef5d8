#include "panto/io/xml_document.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "panto/base/error.hpp"
#include "panto/io/urdf_text.hpp"

namespace panto::io::xml {
namespace {

using pugi::xml_node;

[[noreturn]] void fail(const std::string& name, std::ptrdiff_t line, const std::string& what) {
  throw FormatError(fmt::format("{}:{}: {}", name, line, what));
}

// bounds the cost of parsing: at most 128 bytes per tag and 40 per attribute
void check_size(std::string_view text, const std::string& name, const Limits& limits,
                std::string_view format) {
  const auto refuse = [&](const char* what, std::size_t found, std::size_t most) {
    if (found > most)
      throw FormatError(fmt::format("{}: {} {} exceed the limit of {}", name, found, what, most));
  };
  const auto count = [&](char c) {
    return static_cast<std::size_t>(std::count(text.begin(), text.end(), c));
  };
  refuse("bytes", text.size(), limits.bytes);
  refuse("tags", count('<'), limits.tags);
  refuse("attributes", count('='), limits.attributes);
  if (const auto zero = text.find('\0'); zero != std::string_view::npos)
    throw FormatError(fmt::format("{}: byte {} is zero; {} is UTF-8 text: is this a binary file, or UTF-16?",
                                  name, zero, format));
}

// depth first without recursion, so that no file can exhaust the stack
void check_depth(std::string_view text, const std::string& name, std::size_t most, xml_node node) {
  std::size_t depth = 0;
  while (node) {
    if (node.first_child()) {
      node = node.first_child();
      if (++depth > most)
        fail(name, line_at(text, node.offset_debug()), fmt::format("elements nest deeper than {}", most));
      continue;
    }
    while (node && !node.next_sibling()) {
      node = node.parent();
      if (depth > 0) --depth;
    }
    if (node) node = node.next_sibling();
  }
}

}  // namespace

std::string_view without_mark(std::string_view text) {
  return text.starts_with("\xEF\xBB\xBF") ? text.substr(3) : text;
}

std::ptrdiff_t line_at(std::string_view text, std::ptrdiff_t byte) {
  const auto end = std::clamp<std::ptrdiff_t>(byte, 0, static_cast<std::ptrdiff_t>(text.size()));
  return 1 + std::count(text.begin(), text.begin() + end, '\n');
}

void parse(std::string_view text, const std::string& name, const Limits& limits, std::string_view format,
           std::string_view expected, pugi::xml_document& document) {
  check_size(text, name, limits, format);
  const auto result =
      document.load_buffer(text.data(), text.size(), pugi::parse_default, pugi::encoding_utf8);
  if (result.status == pugi::status_no_document_element)
    fail(name, 1, fmt::format("no XML element; expected {}", expected));
  if (!result)
    fail(name, line_at(text, result.offset), fmt::format("not well-formed XML: {}", result.description()));
  check_depth(text, name, limits.depth, document);
  for (xml_node other = document.document_element().next_sibling(); other; other = other.next_sibling()) {
    if (other.type() == pugi::node_element)
      fail(name, line_at(text, other.offset_debug()),
           fmt::format("<{}>: a second outermost element", urdf::clipped(other.name())));
  }
}

}  // namespace panto::io::xml
