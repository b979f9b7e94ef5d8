#pragma once
// Files of other programs that Panto recognises and does not read. Not for users.

#include <string>
#include <string_view>
#include <vector>

namespace panto::io {

/// Returns what the file is that begins with `head` and what to do with it, as the rest of a sentence about
/// the file; empty for all other files. Knows FBX, C3D, GLB and glTF, USD and MJCF. 4096 bytes are enough.
[[nodiscard]] std::string_view foreign_format(std::string_view head) noexcept;

/// Returns the same of an archive (.npz) with these members: pose parameters of SMPL without points.
[[nodiscard]] std::string_view foreign_archive(const std::vector<std::string>& members) noexcept;

}  // namespace panto::io
