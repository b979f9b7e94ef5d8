#pragma once
// Trees of Denavit-Hartenberg links as small TOML files: docs/formats/dh_chain.md.

#include <cstddef>
#include <string>
#include <string_view>

#include "panto/model/dh.hpp"

namespace panto::io {

/// What a file may hold at most. Larger ones are refused before memory is spent on them.
inline constexpr std::size_t kDhChainMaxBytes = std::size_t{1} << 20;

/// Reads a tree. @throws FormatError ("path:line: ...") naming the key and what would be right. What only the
/// whole tree shows, such as a link that hangs on itself, is found by `dh_model`.
[[nodiscard]] DhTree read_dh_chain(const std::string& path);
/// The same from a text; `name` stands for the path in messages.
[[nodiscard]] DhTree read_dh_chain(std::string_view text, const std::string& name);

/// True when a file's first bytes are those of a tree: a `kind = "dh chain"` line.
[[nodiscard]] bool is_dh_chain(std::string_view head);

}  // namespace panto::io
