#pragma once
// Trees of Denavit-Hartenberg links as small TOML files: docs/formats/dh_chain.md.

#include <cstddef>
#include <string>
#include <string_view>

#include "panto/model/dh.hpp"

namespace panto::io {

/// Size limits of a file. Larger files are refused before memory is allocated.
inline constexpr std::size_t kDhChainMaxBytes = std::size_t{1} << 20;

/// Reads a tree. @throws FormatError ("path:line: ...") naming the key and a valid value. `dh_model` finds
/// errors of the whole tree, such as a link that is its own parent.
[[nodiscard]] DhTree read_dh_chain(const std::string& path);
/// The same for a text; messages call it `name`.
[[nodiscard]] DhTree read_dh_chain(std::string_view text, const std::string& name);

/// Returns true when a file's first bytes contain the line `kind = "dh chain"`.
[[nodiscard]] bool is_dh_chain(std::string_view head);

}  // namespace panto::io
