#pragma once
// Inspects recordings: content, interpretation, findings.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "panto/evaluation/findings.hpp"
#include "panto/recording/recording.hpp"
#include "panto/rig/rig.hpp"

namespace panto {

/// The skeleton of a BVH file as written, of a person or not.
struct SkeletonFacts {
  std::size_t joint_count = 0, root_count = 0, channel_count = 0;
  std::vector<std::string> joints;
  double frame_time_s = 0.0;          ///< as written
  std::array<double, 3> size{};       ///< the rest pose's bounding box along the file's axes [file units]
  std::array<double, 3> travel{};     ///< extent of the root's path over the motion [file units]
  std::vector<std::string> constant;  ///< joints whose rotation channels never change
};

/// The header of an MVNX file.
struct MvnxFacts {
  std::string version, software, subject, configuration;
  std::size_t segments = 0, joints = 0, sensors = 0;
};

/// An OpenSim table that is not a recording of a person.
struct TableFacts {
  std::string name, data_type;
  std::size_t rows = 0;
  std::vector<std::string> columns;
};

/// Everything found about a file. Unknown facts are absent.
struct Inspection {
  std::string path, format;
  bool trackable = false;
  std::string refusal;   ///< why it is not trackable
  std::string part;      ///< which part of a person it is, as in `TrackResult`; empty: all of it
  std::string up;        ///< the file's axis that is up, "y"; empty: not known
  double rate_hz = 0.0;  ///< nominal, snapped where the format rounds it
  std::optional<double> stated_rate_hz;     ///< as written in the file, where that differs
  std::optional<std::int64_t> file_frames;  ///< in the file, a rest pose included
  std::optional<bool> rest_pose_dropped;
  std::string rest_pose_reason;
  std::optional<SubjectDimensions> subject;
  bool has_angular_velocity = false, has_linear_velocity = false;
  std::optional<rig::Rig> rig;
  std::vector<std::string> rig_joints;
  std::optional<SkeletonFacts> skeleton;
  std::optional<MvnxFacts> mvnx;
  std::optional<TableFacts> table;
  bool measured = false;  ///< any segment is measured in any frame
  RecordingFigures figures;
  std::vector<Finding> findings;
  std::string damage;  ///< where and why reading stopped early
  std::vector<std::string> notes;
};

/// Inspects a recording from its current position to its end: figures, findings, whether it can be tracked.
[[nodiscard]] Inspection inspect(Recording& recording);

/// Inspects the bytes of a file of segments: the recording in it, and what only the file holds (the skeleton
/// of a BVH, the header of an MVNX, the columns of a table). Messages call it `name`.
/// @throws FormatError when it cannot be read at all; ConfigError for a map with joints that the file lacks,
/// and one that lists the people where none has the name that `hints` choose.
[[nodiscard]] Inspection inspect_bytes(std::string bytes, const std::string& name,
                                       const RecordingHints& hints = {});

/// Everything found about a recording of raw sensors.
struct ImuInspection {
  std::string path, format;  ///< name and format of the clip
  std::vector<std::string> sensors;
  std::size_t samples = 0;
  double rate_hz = 0.0;             ///< nominal [Hz]; 0: fewer than two samples
  double duration_s = 0.0;          ///< from the first stamp to the last
  std::vector<ImuFigures> figures;  ///< by sensor
  std::vector<ImuFault> faults;
  std::vector<std::string> notes;  ///< of the reader, for people

  /// Returns whether it can be tracked: it has readings, and no fault makes them unusable.
  [[nodiscard]] bool trackable() const;
};

/// Inspects every sample of a clip: units, dead and frozen sensors, gaps.
/// @throws ConfigError for a clip with inconsistent sizes, or with stamps that do not increase.
[[nodiscard]] ImuInspection inspect(const ImuClip& clip);

}  // namespace panto
