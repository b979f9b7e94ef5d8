#pragma once
// Opens recordings of body segments in any known format, from files or the bytes of files.

#include <memory>
#include <string>

#include "panto/recording/recording.hpp"

namespace panto::io {

/// Kind of a recording.
enum class RecordingKind : unsigned char {
  Unknown,
  Mvnx,
  Bvh,
  Gltf,  ///< .glb, .gltf, .vrm, .vrma
  Trc,
  Npz,
  KeypointCsv,
  Landmarks,     ///< of people in video, as a table or JSON
  Orientations,  ///< OpenSim table with DataType=Quaternion
  States,        ///< table of joint angles
};

/// Returns the kind by content, and by name only when the content is ambiguous. @throws FormatError when it
/// cannot be read.
[[nodiscard]] RecordingKind recognise(const std::string& path);
/// Returns whether it is a skeleton of named joints.
[[nodiscard]] constexpr bool is_skeleton(RecordingKind kind) noexcept {
  return kind == RecordingKind::Bvh || kind == RecordingKind::Gltf;
}

/// Opens a recording by its content and extension (.mvnx, .bvh, .glb, .gltf, .vrm, .trc, .npz, .npy, .csv,
/// .json, .sto, .mot).
/// @throws FormatError with the location and a valid value; ConfigError for a map that names joints missing
/// in the recording.
[[nodiscard]] std::unique_ptr<Recording> open_recording(const std::string& path,
                                                        const RecordingHints& hints = {});
/// Opens a recording from the bytes of a file; needs no file system. Messages call it `name`, whose extension
/// gives the format when the bytes do not. Samples, notes and refusals are the same as for the file. @throws
/// as above.
[[nodiscard]] std::unique_ptr<Recording> open_recording(std::string bytes, const std::string& name,
                                                        const RecordingHints& hints = {});

}  // namespace panto::io
