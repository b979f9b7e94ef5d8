#pragma once
// Opens recordings of body segments in any known format, from files or the bytes of files.

#include <istream>
#include <memory>
#include <string>

#include "panto/io/opensim.hpp"
#include "panto/recording/recording.hpp"
#include "panto/sample/keypoint_sample.hpp"

namespace panto::io {

class Input;

/// Kind of a recording.
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

/// Returns the kind by content, and by name only when the content is ambiguous. @throws FormatError when it
/// cannot be read.
[[nodiscard]] RecordingKind recognise(const std::string& path);
/// The same for an open input.
[[nodiscard]] RecordingKind recognise(const Input& input);

/// Opens a recording by its content and extension (.mvnx, .bvh, .trc, .npz, .csv, .sto, .mot). @throws
/// FormatError with the location and a valid value; ConfigError for a map that names joints missing in the
/// recording.
[[nodiscard]] std::unique_ptr<Recording> open_recording(const std::string& path,
                                                        const RecordingHints& hints = {});
/// Opens a recording from the bytes of a file; needs no file system. Messages call it `name`, whose extension
/// gives the format when the bytes do not. Samples, notes and refusals are the same as for the file. @throws
/// as above.
[[nodiscard]] std::unique_ptr<Recording> open_recording(std::string bytes, const std::string& name,
                                                        const RecordingHints& hints = {});
/// Opens a recording from an open input and consumes it. @throws as above.
[[nodiscard]] std::unique_ptr<Recording> open_recording(Input& input, const RecordingHints& hints = {});

/// Opens MVNX, reading frames on demand.
[[nodiscard]] std::unique_ptr<Recording> open_mvnx(const std::string& path);
/// Opens BVH.
[[nodiscard]] std::unique_ptr<Recording> open_bvh(const std::string& path, const RecordingHints& hints = {});
/// Opens points (.trc, .npz, .csv; keypoint_io.hpp) as the 23 segments of the human. Points without a known
/// body are read under their own names, and `untrackable` gives the reason.
[[nodiscard]] std::unique_ptr<Recording> open_keypoints(KeypointClip clip, std::string format,
                                                        const RecordingHints& hints = {});
/// Opens orientations of an OpenSim table (DataType=Quaternion): segments, or sensors, which are not
/// trackable.
[[nodiscard]] std::unique_ptr<Recording> open_orientations(OpenSimTable table);
/// Opens joint angles of human66 or human48 as `create_csv` wrote them: the segments by forward kinematics.
/// Messages call it `name`; the stream is read twice.
[[nodiscard]] std::unique_ptr<Recording> open_state_csv(std::istream& stream, const std::string& name,
                                                        const RecordingHints& hints = {});
/// The same for a table that `create_opensim` wrote.
[[nodiscard]] std::unique_ptr<Recording> open_state_table(const OpenSimTable& table,
                                                          const RecordingHints& hints = {});

}  // namespace panto::io
