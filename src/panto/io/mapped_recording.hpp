#pragma once
// Recordings opened with what a user knows of them.

#include <memory>
#include <string>
#include <vector>

#include "panto/recording/recording.hpp"

namespace panto::io {

/// Opens a recording at `path` with the map of its skeleton's joints in the file `rig`; empty: none.
/// `height`: of the person [m]; 0: not known. Decisions about the map are added to `notes`.
/// @throws FormatError as `open_recording` and `read_rig_map`; ModelError with the map's line for a map that
/// names what the recording does not have.
[[nodiscard]] std::unique_ptr<Recording> open_mapped_recording(const std::string& path,
                                                               const std::string& rig, double height,
                                                               std::vector<std::string>& notes);

}  // namespace panto::io
