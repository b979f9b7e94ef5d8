#pragma once
// Opens recordings of body segments, format by format.

#include <istream>
#include <memory>
#include <string>
#include <string_view>

#include "panto/io/open_recording.hpp"
#include "panto/io/opensim.hpp"
#include "panto/sample/keypoint_sample.hpp"

namespace panto::io {

class Input;

/// Tells what an input that is open is read as.
[[nodiscard]] RecordingKind recognise(const Input& input);

/// Opens a recording from an open input and consumes it. `body`: the user's model file of SMPL, SMPL-H or
/// SMPL-X (.npz), for the lengths of a motion of these models; empty: none. @throws as above; ConfigError for
/// a body of another format.
[[nodiscard]] std::unique_ptr<Recording> open_recording(Input& input, const RecordingHints& hints = {},
                                                        const std::string& body = {});

/// Refuses to clean a recording without points. @throws ConfigError.
void check_cleaning(const Input& input, PointCleaning clean);

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
/// The same for an archive that `create_npz_states` wrote.
[[nodiscard]] std::unique_ptr<Recording> open_state_npz(std::string_view bytes, const std::string& name,
                                                        const RecordingHints& hints = {});
/// The same for a table that `create_opensim` wrote.
[[nodiscard]] std::unique_ptr<Recording> open_state_table(const OpenSimTable& table,
                                                          const RecordingHints& hints = {});

}  // namespace panto::io
