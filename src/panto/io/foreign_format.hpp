#pragma once
// Recognises files of other programs that Panto does not read. Internal.

#include <string_view>

namespace panto::io {

/// Returns the kind of the file that begins with `head` and advice, as the rest of a sentence about the file;
/// empty for all other files. Knows FBX, C3D, GLB and glTF, USD, .osim, pickles, PyTorch, .npy, MCAP, HTML,
/// PDF, images, videos, Office, compressed files. 4096 bytes are enough.
[[nodiscard]] std::string_view foreign_format(std::string_view head);

}  // namespace panto::io
