#pragma once
// Recordings of body segments, whatever their format.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "panto/model/human.hpp"
#include "panto/motion/foot_contacts.hpp"
#include "panto/rig/rig.hpp"
#include "panto/sample/keypoint_sample.hpp"
#include "panto/targets/attachments.hpp"
#include "panto/tracking/source.hpp"

namespace panto::io {

/// What a recording says of itself, and what its reader decided.
struct MotionFileInfo {
  std::string path;
  std::string format;                     ///< "mvnx 4", "bvh (xsens)"
  double rate_hz = 0.0;                   ///< nominal [Hz]; 0: not known
  std::optional<std::int64_t> frames;     ///< samples that `read` will yield, where known before reading them
  std::int64_t first_frame = 0;           ///< number in the file of the first sample
  std::optional<bool> rest_pose_dropped;  ///< for formats whose frame 0 may be an exporter's rest pose
  std::string rest_pose_reason;           ///< why frame 0 was left out, where it was
  std::optional<SubjectDimensions> subject;  ///< the person, where the file has dimensions
  AttachmentMap attachments;                 ///< how its segments sit on the human models
  bool has_angular_velocity = false;         ///< measured by the source, not differenced by the reader
  bool has_linear_velocity = false;
  std::optional<rig::Rig> rig;  ///< how a skeleton was understood, for formats that hold one
  std::vector<std::string>
      rig_joints;           ///< names of that skeleton's joints, in the order of the rig's indices
  std::string untrackable;  ///< why its samples cannot be put onto a body, though they can be read; empty
                            ///< for all others. `attachments` is empty then
  std::vector<std::string> notes;  ///< repairs and decisions, one sentence each, for people
  bool incomplete = false;         ///< frames are missing that the file declares; one of the notes says it
};

/// A recording that is read sample by sample. World axes of the samples: z up, x forward, y left; metres.
class MotionFile : public Source<SegmentSample> {
 public:
  [[nodiscard]] virtual const MotionFileInfo& info() const noexcept = 0;
  /// Why the last `read` was `Malformed` ("take.mvnx:812: ..."); empty otherwise. After `Malformed` the
  /// motion has ended.
  [[nodiscard]] virtual const std::string& problem() const noexcept = 0;
  /// What the file itself says of the feet in the last sample; unknown where it says nothing.
  [[nodiscard]] virtual GivenContacts contacts() const noexcept { return {}; }
};

/// What the user knows better than the file.
struct MotionFileOptions {
  rig::Hints rig;        ///< map of a skeleton's joints
  rig::Offsets offsets;  ///< frames of our segments on those joints
  double height = 0.0;   ///< of the person [m], for files of joint angles, which hold no sizes; 0: 1.75 m
};

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
[[nodiscard]] std::unique_ptr<MotionFile> open_motion_file(const std::string& path,
                                                           const MotionFileOptions& options = {});

[[nodiscard]] std::unique_ptr<MotionFile> open_mvnx(const std::string& path);
[[nodiscard]] std::unique_ptr<MotionFile> open_bvh(const std::string& path,
                                                   const MotionFileOptions& options = {});
/// Points as the 23 segments of the human: .trc, .npz, .csv (keypoint_io.hpp). Points that are no body can be
/// read under their own names, and `untrackable` says why they are not.
[[nodiscard]] std::unique_ptr<MotionFile> open_keypoints(KeypointClip clip, std::string format,
                                                         const MotionFileOptions& options = {});
/// Orientations of an OpenSim table (DataType=Quaternion): of segments, or of sensors, which are not
/// trackable.
[[nodiscard]] std::unique_ptr<MotionFile> open_orientations(const std::string& path);
/// Joint angles of human66 or human48 as `create_csv` or `create_opensim` wrote them: the segments by forward
/// kinematics.
[[nodiscard]] std::unique_ptr<MotionFile> open_states(const std::string& path,
                                                      const MotionFileOptions& options = {});

}  // namespace panto::io
