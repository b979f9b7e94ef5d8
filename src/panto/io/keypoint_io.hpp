#pragma once
// Files of named points: OpenSim's .trc, NumPy's .npz, tables of ours. All are read whole into a
// KeypointClip.

#include <cstdint>
#include <istream>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "panto/io/sample_file.hpp"
#include "panto/sample/keypoint_sample.hpp"

namespace panto::io {

/// Points of an OpenSim or Cortex marker file (docs/formats/trc.md). @throws FormatError "path:line: ...".
[[nodiscard]] KeypointClip read_trc(const std::string& path);
[[nodiscard]] KeypointClip read_trc(std::istream& stream, const std::string& name);

/// Points of a NumPy archive: one array (T, J, 3), the names of its points, and a rate or times
/// (docs/formats/npz.md). Nothing is unpickled. @throws FormatError "path: member: ...".
[[nodiscard]] KeypointClip read_npz(const std::string& path);
/// The same from the bytes of an archive.
[[nodiscard]] KeypointClip read_npz(std::string_view bytes, const std::string& name);

/// Points and orientations of a table (docs/formats/keypoint_csv.md). @throws FormatError "path:line: ...".
[[nodiscard]] KeypointClip read_keypoint_csv(const std::string& path);
[[nodiscard]] KeypointClip read_keypoint_csv(std::istream& stream, const std::string& name);

/// Is this "x", "y", "z", "-x", "-y" or "-z"?
[[nodiscard]] bool is_file_axis(std::string_view text);

/// Does a file that begins like this hold such a table, not one of joint angles? `head`: a few of its lines.
[[nodiscard]] bool is_keypoint_csv(std::string_view head);

}  // namespace panto::io
