#include "panto/io/append.hpp"

#include <fmt/format.h>

#include <iterator>

namespace panto::io {

void append_formatted(std::string& text, fmt::string_view format, fmt::format_args values) {
  fmt::vformat_to(std::back_inserter(text), format, values);
}

}  // namespace panto::io
