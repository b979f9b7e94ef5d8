#pragma once
// Opens recordings with a user's map of the skeleton's joints.

#include <memory>
#include <string>
#include <vector>

#include "panto/io/bvh.hpp"
#include "panto/recording/recording.hpp"

namespace panto::io {

class Input;

/// What a user states about a recording, and the file that states it.
struct MappedHints {
  RecordingHints hints;
  std::string file;                ///< of the map; empty: none
  std::vector<std::string> notes;  ///< decisions about the map
  std::string body = {};           ///< model file of SMPL, SMPL-H or SMPL-X (.npz); empty: none
  /// Of a glTF file: the animation, by name or number from 1; empty: the first that turns joints.
  std::string take = {};
  bool person_asked = false;  ///< the person is the user's choice, not the map's
};

/// Reads the map in the file `rig`; empty: none. `height`: of the person [m]; 0: unknown. `person`: which of
/// several people of the file; empty: as the map says. `take`: as `MappedHints::take`. @throws FormatError as
/// `read_rig_map`.
[[nodiscard]] MappedHints read_mapped_hints(const std::string& rig, double height,
                                            const std::string& person = {}, const std::string& take = {});

/// Refuses a person or an animation chosen in a file of a format that holds one alone. @throws ConfigError.
void check_choices(const Input& input, const MappedHints& mapped);

/// Opens a recording with a map. Adds decisions about the map to `notes`. @throws FormatError as
/// `open_recording`; ModelError with the map's line for a map that names joints missing in the recording,
/// with its file for one whose joints do not fit the skeleton or the chosen person.
[[nodiscard]] std::unique_ptr<Recording> open_mapped_recording(const std::string& path,
                                                               const MappedHints& mapped,
                                                               std::vector<std::string>& notes);
/// The same of an input that is open.
[[nodiscard]] std::unique_ptr<Recording> open_mapped_recording(Input& input, const MappedHints& mapped,
                                                               std::vector<std::string>& notes);
/// Opens a BVH clip with a map. @throws as above.
[[nodiscard]] std::unique_ptr<Recording> open_mapped(BvhClip clip, const MappedHints& mapped);

/// Returns "FILE:LINE" of the line that names a joint which is not among `joints`; "FILE" where none does.
[[nodiscard]] std::string place_in_map(const std::vector<std::string>& joints, const MappedHints& mapped);

/// Returns the message that a map has no effect on a recording of `format`.
[[nodiscard]] std::string unused_map(const MappedHints& mapped, const std::string& format);

}  // namespace panto::io
