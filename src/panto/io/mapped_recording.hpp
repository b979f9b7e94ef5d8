#pragma once
// Recordings opened with the map that a user made of their skeleton's joints.

#include <memory>
#include <string>
#include <vector>

#include "panto/io/bvh.hpp"
#include "panto/recording/recording.hpp"

namespace panto::io {

class Input;

/// What a user knows better than the file, and from where.
struct MappedHints {
  RecordingHints hints;
  std::string file;                ///< of the map; empty: there is none
  std::vector<std::string> notes;  ///< decisions about the map
};

/// Reads the map in the file `rig`; empty: none. `height`: of the person [m]; 0: not known. @throws
/// FormatError as `read_rig_map`.
[[nodiscard]] MappedHints read_mapped_hints(const std::string& rig, double height);

/// Opens a recording with a map. Decisions about the map are added to `notes`.
/// @throws FormatError as `open_recording`; ModelError with the map's line for a map that names what the
/// recording does not have.
[[nodiscard]] std::unique_ptr<Recording> open_mapped_recording(const std::string& path,
                                                               const MappedHints& mapped,
                                                               std::vector<std::string>& notes);
/// The same of an input that is open.
[[nodiscard]] std::unique_ptr<Recording> open_mapped_recording(Input& input, const MappedHints& mapped,
                                                               std::vector<std::string>& notes);
/// Opens a BVH clip with a map. @throws as above.
[[nodiscard]] std::unique_ptr<Recording> open_mapped(BvhClip clip, const MappedHints& mapped);

/// Says that a map has no effect on a recording of `format`.
[[nodiscard]] std::string unused_map(const MappedHints& mapped, const std::string& format);

}  // namespace panto::io
