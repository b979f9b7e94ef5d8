#pragma once
// The tables of models/robots as they were when Panto was built. Not for users: see shipped_robots.hpp.

#include <span>
#include <string_view>

namespace panto::io {

struct ShippedTable {
  std::string_view name;  ///< that of the file, without its end
  std::string_view text;
};

/// All of them, by name. The build makes this function from the files (models/embed_tables.cmake).
[[nodiscard]] std::span<const ShippedTable> shipped_tables() noexcept;

}  // namespace panto::io
