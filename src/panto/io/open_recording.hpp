#pragma once
// Opens recordings of body segments, whatever their format.

#include <memory>
#include <string>

#include "panto/recording/recording.hpp"
#include "panto/sample/keypoint_sample.hpp"

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
/// FormatError with the place and what would be right.
[[nodiscard]] std::unique_ptr<Recording> open_recording(const std::string& path,
                                                        const RecordingHints& options = {});

[[nodiscard]] std::unique_ptr<Recording> open_mvnx(const std::string& path);
[[nodiscard]] std::unique_ptr<Recording> open_bvh(const std::string& path,
                                                  const RecordingHints& options = {});
/// Points as the 23 segments of the human: .trc, .npz, .csv (keypoint_io.hpp). Points that are no body can be
/// read under their own names, and `untrackable` says why they are not.
[[nodiscard]] std::unique_ptr<Recording> open_keypoints(KeypointClip clip, std::string format,
                                                        const RecordingHints& options = {});
/// Orientations of an OpenSim table (DataType=Quaternion): of segments, or of sensors, which are not
/// trackable.
[[nodiscard]] std::unique_ptr<Recording> open_orientations(const std::string& path);
/// Joint angles of human66 or human48 as `create_csv` or `create_opensim` wrote them: the segments by forward
/// kinematics.
[[nodiscard]] std::unique_ptr<Recording> open_states(const std::string& path,
                                                     const RecordingHints& options = {});

}  // namespace panto::io
