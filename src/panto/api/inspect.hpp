#pragma once
// Inspects recordings: what they hold, how they were understood, what is odd about them.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "panto/evaluation/recording_health.hpp"
#include "panto/recording/recording.hpp"

namespace panto::io {
struct BvhClip;
struct MvnxHeader;
struct OpenSimTable;
}  // namespace panto::io

namespace panto::io {
class Input;
}

namespace panto {

/// The skeleton of a BVH file as it stands there, whoever's it is.
struct SkeletonFacts {
  std::size_t joint_count = 0, root_count = 0, channel_count = 0;
  std::vector<std::string> joints;
  double frame_time_s = 0.0;          ///< as written
  std::array<double, 3> size{};       ///< of the rest pose's box along the file's axes [file units]
  std::array<double, 3> travel{};     ///< of the root over the motion [file units]
  std::vector<std::string> constant;  ///< joints whose rotation channels never change
};

/// The header of an MVNX file.
struct MvnxFacts {
  std::string version, software, subject, configuration;
  std::size_t segments = 0, joints = 0, sensors = 0;
};

/// An OpenSim table that is no recording of a person.
struct TableFacts {
  std::string name, data_type;
  std::size_t rows = 0;
  std::vector<std::string> columns;
};

/// All that is found out about a file. What is not known is absent.
struct Inspection {
  std::string path, format;
  bool trackable = false;
  std::string refusal;                      ///< why it is not trackable
  double rate_hz = 0.0;                     ///< nominal, snapped where the format rounds it
  std::optional<double> stated_rate_hz;     ///< as the file has it, where that differs
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
  bool measured = false;  ///< is anything, in any frame?
  RecordingFigures figures;
  std::vector<Finding> findings;
  std::string damage;  ///< where and why reading stopped early
  std::vector<std::string> notes;
};

/// Inspects a recording from where it stands to its end: figures, findings, whether it can be tracked.
[[nodiscard]] Inspection inspect(Recording& recording);

/// Inspects a file of segments, which is opened once: the recording in it, and what the file alone tells (the
/// skeleton of a BVH, the header of an MVNX, the columns of a table). `rig`: a file with the map of its
/// skeleton's joints; empty: found from the recording.
/// @throws FormatError when it cannot be read at all; ModelError for a map that names what it does not have.
[[nodiscard]] Inspection inspect_file(const std::string& path, const std::string& rig = {});
/// The same of an input that is open.
[[nodiscard]] Inspection inspect_file(io::Input& input, const std::string& rig = {});
/// Inspects the bytes of a file. `name` stands for the path in messages. @throws FormatError as above;
/// ConfigError for a map that names what it does not have.
[[nodiscard]] Inspection inspect_bytes(std::string bytes, const std::string& name,
                                       const RecordingHints& hints = {});

/// Tells what a BVH's skeleton is, whoever's.
[[nodiscard]] SkeletonFacts skeleton_facts(const io::BvhClip& clip);
/// Tells what an MVNX's header says.
[[nodiscard]] MvnxFacts mvnx_facts(const io::MvnxHeader& header);
/// Tells what a table holds.
[[nodiscard]] TableFacts table_facts(const io::OpenSimTable& table);

}  // namespace panto
