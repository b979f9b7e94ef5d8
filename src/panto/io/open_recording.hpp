#pragma once
// Opens recordings of body segments, whatever their format, from files or from the bytes of files.

#include <istream>
#include <memory>
#include <string>

#include "panto/io/opensim.hpp"
#include "panto/recording/recording.hpp"
#include "panto/sample/keypoint_sample.hpp"

namespace panto::io {

class Input;

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
/// The same of an input that is open.
[[nodiscard]] RecordingKind recognise(const Input& input);

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
/// Opens a recording from what is open already, which is left spent. @throws as above.
[[nodiscard]] std::unique_ptr<Recording> open_recording(Input& input, const RecordingHints& hints = {});

/// Opens MVNX, which is read frame by frame while samples are asked for.
[[nodiscard]] std::unique_ptr<Recording> open_mvnx(const std::string& path);
/// Opens BVH.
[[nodiscard]] std::unique_ptr<Recording> open_bvh(const std::string& path, const RecordingHints& hints = {});
/// Opens points as the 23 segments of the human: of .trc, .npz, .csv (keypoint_io.hpp). Points that are no
/// body can be read under their own names, and `untrackable` says why they are not.
[[nodiscard]] std::unique_ptr<Recording> open_keypoints(KeypointClip clip, std::string format,
                                                        const RecordingHints& hints = {});
/// Opens orientations of an OpenSim table (DataType=Quaternion): of segments, or of sensors, which are not
/// trackable.
[[nodiscard]] std::unique_ptr<Recording> open_orientations(OpenSimTable table);
/// Opens joint angles of human66 or human48 as `create_csv` wrote them: the segments by forward kinematics.
/// `name` stands for the path in messages; the stream is read twice.
[[nodiscard]] std::unique_ptr<Recording> open_state_csv(std::istream& stream, const std::string& name,
                                                        const RecordingHints& hints = {});
/// Opens the same of a table that `create_opensim` wrote.
[[nodiscard]] std::unique_ptr<Recording> open_state_table(const OpenSimTable& table,
                                                          const RecordingHints& hints = {});

}  // namespace panto::io
