#pragma once
// Reads files of named points whole into a KeypointClip: OpenSim's .trc, NumPy's .npz, our own tables.

#include <cstdint>
#include <istream>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "panto/io/sample_file.hpp"
#include "panto/sample/keypoint_sample.hpp"

namespace panto::io {

/// Reads points of an OpenSim or Cortex marker file (docs/formats/trc.md). @throws FormatError "path:line:
/// ...".
[[nodiscard]] KeypointClip read_trc(const std::string& path);
[[nodiscard]] KeypointClip read_trc(std::istream& stream, const std::string& name);

/// Reads points of a NumPy archive: one array (T, J, 3), the names of its points, and a rate or times
/// (docs/formats/npz.md). Nothing is unpickled. @throws FormatError "path: member: ...".
[[nodiscard]] KeypointClip read_npz(const std::string& path);
/// The same for the bytes of an archive.
[[nodiscard]] KeypointClip read_npz(std::string_view bytes, const std::string& name);

/// Reads points and orientations of a table (docs/formats/keypoint_csv.md). @throws FormatError "path:line:
/// ...".
[[nodiscard]] KeypointClip read_keypoint_csv(const std::string& path);
[[nodiscard]] KeypointClip read_keypoint_csv(std::istream& stream, const std::string& name);

/// Returns true for "x", "y", "z", "-x", "-y" and "-z".
[[nodiscard]] bool is_file_axis(std::string_view text);

/// Returns true when a file that begins with `head` (a few lines) holds such a table, and not joint angles.
[[nodiscard]] bool is_keypoint_csv(std::string_view head);

}  // namespace panto::io
