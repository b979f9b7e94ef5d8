#pragma once
// rig::Rig maps as small TOML files that people edit: which joint is which segment, unit and axes, and how
// our segments sit on those joints. The format: docs/formats/rig_map.md.

#include <string>
#include <string_view>
#include <vector>

#include "panto/io/open_recording.hpp"
#include "panto/rig/rig.hpp"

namespace panto::io {

/// Text of a map, reasons and confidences as comments. `joints`: names of the skeleton's joints, by the
/// indices of `rig.map`; `source` names the recording in the first line. Frames are rounded to 1e-9.
/// @throws FormatError when a joint that is needed has a name that TOML cannot hold (not UTF-8), ConfigError
/// when `joints` does not name a joint of the map.
[[nodiscard]] std::string write_rig_map(const rig::Rig& rig, const std::vector<std::string>& joints,
                                        std::string_view source);

/// Reads a map. What is in it is taken as given; frames of segments whose joint has been edited since are
/// left out, to be found anew, and `notes` says so. @throws FormatError ("path:line: ...") for anything else
/// than the format, naming the key and what would be right.
[[nodiscard]] RecordingHints read_rig_map(const std::string& path, std::vector<std::string>& notes);
/// The same from a text; `name` stands for the path in messages.
[[nodiscard]] RecordingHints read_rig_map(std::string_view text, const std::string& name,
                                          std::vector<std::string>& notes);

/// First line, from 1, of the map in that file that holds the joint's name in quotes; 0: none does.
/// @throws FormatError when the file cannot be read.
[[nodiscard]] int line_of_joint(const std::string& path, const std::string& joint);

}  // namespace panto::io
