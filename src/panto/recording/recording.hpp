#pragma once
// What was recorded, whatever the format: body segments, or raw inertial sensors.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "panto/model/human.hpp"
#include "panto/rig/rig.hpp"
#include "panto/sample/imu_sample.hpp"
#include "panto/sample/segment_sample.hpp"
#include "panto/sample/stages.hpp"
#include "panto/targets/attachment_map.hpp"

namespace panto {

class JointMotion;

/// Facts from the file, and decisions of its reader.
struct RecordingInfo {
  std::string path;
  std::string format;                     ///< "mvnx 4", "bvh (xsens)"
  double rate_hz = 0.0;                   ///< nominal [Hz]; 0: unknown
  std::optional<std::int64_t> frames;     ///< number of samples that `read` will yield, if known in advance
  std::int64_t first_frame = 0;           ///< number of the first sample in the file
  std::optional<bool> rest_pose_dropped;  ///< for formats whose frame 0 may be an exporter's rest pose
  std::string rest_pose_reason;           ///< why frame 0 was dropped, if it was
  std::optional<SubjectDimensions> subject;  ///< the person, if the file has dimensions
  std::string up;                            ///< the file's axis that is up, "y"; empty: not known
  AttachmentMap attachments;                 ///< offsets of its segments on the human models
  bool has_angular_velocity = false;         ///< measured by the source, not differentiated by the reader
  bool has_linear_velocity = false;
  std::optional<rig::Rig> rig;          ///< the interpretation of a skeleton, for formats that hold one
  std::vector<std::string> rig_joints;  ///< joint names of that skeleton, in the order of the rig's indices
  /// Every joint of that skeleton, also those that move no segment; null: none (recording/joint_motion.hpp).
  std::shared_ptr<const JointMotion> joints = nullptr;
  std::string untrackable;         ///< why its samples can be read but not put onto a body; else empty.
                                   ///< `attachments` is then empty
  std::vector<std::string> notes;  ///< repairs and decisions, one sentence each, for people
  bool incomplete = false;         ///< frames declared by the file are missing; a note names them
};

/// A recording that is read sample by sample. World axes of the samples: z up, x forward, y left; metres.
class Recording : public Source<SegmentSample> {
 public:
  [[nodiscard]] virtual const RecordingInfo& info() const noexcept = 0;
  /// Returns why the last `read` was `Malformed` ("take.mvnx:812: ..."); empty otherwise. The motion ends at
  /// a `Malformed` sample.
  [[nodiscard]] virtual const std::string& problem() const noexcept = 0;
  /// Starts over: the next sample is the first, and a second reading yields the same samples. Notes stay.
  /// Allocates. @throws Error if the recording cannot be opened again.
  virtual void rewind() = 0;
  /// Returns the file's own foot contacts of the last sample; unknown if the file has none.
  [[nodiscard]] virtual GivenContacts contacts() const noexcept { return {}; }
};

/// What the user knows and the file does not say.
struct RecordingHints {
  rig::Hints rig;        ///< map of a skeleton's joints
  rig::Offsets offsets;  ///< frames of the human segments on those joints
  double height = 0.0;   ///< body height [m], for files of joint angles, which have no sizes; 0: 1.75 m
  PointCleaning clean = PointCleaning::Light;  ///< of recordings of points
  bool ground = false;  ///< puts the soles on the floor z = 0 (`open_mapped_recording`)
};

/// A recording of raw sensors in memory, in SI; magnetic fields in the file's unit. A quantity that a sensor
/// lacks or missed has no flag.
struct ImuClip {
  std::string name;    ///< names the file in messages
  std::string format;  ///< "imu csv", "imu table", "imu npz", "xsens mt", "apdm csv", "sto", "mvnx"
  std::vector<std::string> sensors;
  std::vector<Time> times;           ///< increasing [ns]
  double rate_hz = 0.0;              ///< nominal; 0: fewer than two samples
  std::vector<ImuReading> readings;  ///< sample by sample; sensors in the order of `sensors`
  std::vector<std::string> notes;    ///< the reader's decisions, for people

  [[nodiscard]] ImuReading& at(std::size_t sample, std::size_t sensor) {
    return readings[sample * sensors.size() + sensor];
  }
  [[nodiscard]] const ImuReading& at(std::size_t sample, std::size_t sensor) const {
    return readings[sample * sensors.size() + sensor];
  }
};

}  // namespace panto
