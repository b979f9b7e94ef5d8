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

/// What a recording says of itself, and what its reader decided.
struct RecordingInfo {
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
class Recording : public Source<SegmentSample> {
 public:
  [[nodiscard]] virtual const RecordingInfo& info() const noexcept = 0;
  /// Why the last `read` was `Malformed` ("take.mvnx:812: ..."); empty otherwise. After `Malformed` the
  /// motion has ended.
  [[nodiscard]] virtual const std::string& problem() const noexcept = 0;
  /// Starts over: the next sample is the first again, and a second reading yields the same samples. Notes
  /// stay. Allocates. @throws Error when the recording cannot be opened again.
  virtual void rewind() = 0;
  /// What the file itself says of the feet in the last sample; unknown where it says nothing.
  [[nodiscard]] virtual GivenContacts contacts() const noexcept { return {}; }
};

/// What the user knows better than the file.
struct RecordingHints {
  rig::Hints rig;        ///< map of a skeleton's joints
  rig::Offsets offsets;  ///< frames of our segments on those joints
  double height = 0.0;   ///< of the person [m], for files of joint angles, which hold no sizes; 0: 1.75 m
};

/// A recording of raw sensors in memory, in SI; fields in the file's unit. What a sensor does not have, or
/// missed, has no flag.
struct ImuClip {
  std::string name;    ///< stands for the file in messages
  std::string format;  ///< "imu csv", "imu npz", "xsens mt", "apdm csv", "sto", "mvnx"
  std::vector<std::string> sensors;
  std::vector<Time> times;           ///< increasing [ns]
  double rate_hz = 0.0;              ///< nominal; 0: fewer than two samples
  std::vector<ImuReading> readings;  ///< sample by sample, sensors in their order
  std::vector<std::string> notes;    ///< decisions of the reader, for people

  [[nodiscard]] ImuReading& at(std::size_t sample, std::size_t sensor) {
    return readings[sample * sensors.size() + sensor];
  }
  [[nodiscard]] const ImuReading& at(std::size_t sample, std::size_t sensor) const {
    return readings[sample * sensors.size() + sensor];
  }
};

}  // namespace panto
