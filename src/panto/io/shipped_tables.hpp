#pragma once
// Tables of models/robots at build time. Internal; see shipped_robots.hpp.

#include <span>
#include <string_view>

namespace panto::io {

struct ShippedTable {
  std::string_view name;  ///< file name without extension
  std::string_view text;
};

/// Returns all tables, by name. The build generates this function from the files (models/embed_tables.cmake).
[[nodiscard]] std::span<const ShippedTable> shipped_tables() noexcept;

}  // namespace panto::io
