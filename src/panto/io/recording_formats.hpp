#pragma once
// Opens recordings of body segments, format by format.

#include <istream>
#include <memory>
#include <string>

#include "panto/io/open_recording.hpp"
#include "panto/io/opensim.hpp"
#include "panto/sample/keypoint_sample.hpp"

namespace panto::io {

class Input;

/// Tells what an input that is open is read as.
[[nodiscard]] RecordingKind recognise(const Input& input);

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
