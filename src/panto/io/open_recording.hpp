#pragma once
// Opens recordings of body segments, whatever their format, from files or from the bytes of files.

#include <memory>
#include <string>

#include "panto/recording/recording.hpp"

namespace panto::io {

/// What a file is read as.
enum class RecordingKind : unsigned char {
  Unknown,
  Mvnx,
  Bvh,
  Trc,
  Npz,
  KeypointCsv,
  Orientations,  ///< OpenSim table with DataType=Quaternion
  States,        ///< table of joint angles
};

/// What the file holds decides, its name only when that says nothing. @throws FormatError when it cannot be
/// read.
[[nodiscard]] RecordingKind recognise(const std::string& path);

/// Opens a recording by its content and extension (.mvnx, .bvh, .trc, .npz, .csv, .sto, .mot). @throws
/// FormatError with the place and what would be right; ConfigError for a map that names what the recording
/// does not have.
[[nodiscard]] std::unique_ptr<Recording> open_recording(const std::string& path,
                                                        const RecordingHints& hints = {});
/// Opens a recording from the bytes of a file: needs no file system. `name` stands for the path in messages
/// and tells a format by its extension where the bytes do not. Samples, notes and refusals are those of the
/// file. @throws as above.
[[nodiscard]] std::unique_ptr<Recording> open_recording(std::string bytes, const std::string& name,
                                                        const RecordingHints& hints = {});

}  // namespace panto::io
