#pragma once
// Reads and writes rig::Rig maps as small TOML files that people edit: joints of segments, unit, axes, and
// frames of our segments on those joints. The format: docs/formats/rig_map.md.

#include <string>
#include <string_view>
#include <vector>

#include "panto/io/open_recording.hpp"
#include "panto/rig/rig.hpp"

namespace panto::io {

/// Returns the text of a map with reasons and confidences as comments. `joints`: names of the skeleton's
/// joints, by the indices of `rig.map`; `source` names the recording in the first line. Frames are rounded to
/// 1e-9. @throws FormatError when the name of a needed joint is not UTF-8, which TOML requires; ConfigError
/// when `joints` lacks a joint of the map.
[[nodiscard]] std::string write_rig_map(const rig::Rig& rig, const std::vector<std::string>& joints,
                                        std::string_view source);

/// Reads a map. Its content is trusted; frames of segments whose joint was edited are left out, to be found
/// again, and noted in `notes`. @throws FormatError ("path:line: ...") for a wrong format, naming the key and
/// a valid value.
[[nodiscard]] RecordingHints read_rig_map(const std::string& path, std::vector<std::string>& notes);
/// The same for a text; messages call it `name`.
[[nodiscard]] RecordingHints read_rig_map(std::string_view text, const std::string& name,
                                          std::vector<std::string>& notes);

/// Returns the first line, from 1, of the map in that file that contains the joint's name in quotes; 0: none.
/// @throws FormatError when the file cannot be read.
[[nodiscard]] int line_of_joint(const std::string& path, const std::string& joint);

}  // namespace panto::io
