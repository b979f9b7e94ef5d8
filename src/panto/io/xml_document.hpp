#pragma once
// Parses XML of robots within limits, so that no file can exhaust memory, time or the stack. Internal.

#include <cstddef>
#include <pugixml.hpp>
#include <string>
#include <string_view>

namespace panto::io::xml {

/// Size limits of a document. Larger ones are refused before memory is allocated.
struct Limits {
  std::size_t bytes, tags, attributes, depth;  ///< '<' and '=' in the file; nested elements
};

/// Returns the text without its byte order mark.
[[nodiscard]] std::string_view without_mark(std::string_view text);

/// Returns the line of a byte, from 1; 1 for positions before the text.
[[nodiscard]] std::ptrdiff_t line_at(std::string_view text, std::ptrdiff_t byte);

/// Parses `text`, of the file `name`, into `document`. `format` and `expected` are for messages: "a URDF",
/// "<robot name='...'>". @throws FormatError "name:line: ..." beyond the limits, and for text that is not one
/// XML element.
void parse(std::string_view text, const std::string& name, const Limits& limits, std::string_view format,
           std::string_view expected, pugi::xml_document& document);

}  // namespace panto::io::xml
