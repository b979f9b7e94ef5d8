#pragma once
// BVH (Biovision hierarchy): a skeleton of named joints and, per frame, one number for every channel. Angles
// are in degrees; the file states neither the unit of length nor the up axis. (formats, sections 3.1-3.3)

#include <Eigen/Core>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "panto/io/recording_formats.hpp"
#include "panto/recording/recording.hpp"
#include "panto/sample/skeleton.hpp"

namespace panto::io {

/// Channel of one number of a frame: the axis is the value modulo 3 (0 = x, 1 = y, 2 = z).
enum class BvhChannel : unsigned char { Xposition, Yposition, Zposition, Xrotation, Yrotation, Zrotation };

[[nodiscard]] constexpr bool is_rotation(BvhChannel channel) noexcept {
  return channel >= BvhChannel::Xrotation;
}
[[nodiscard]] constexpr int axis_of(BvhChannel channel) noexcept { return static_cast<int>(channel) % 3; }
/// Returns "Xposition" and so on.
[[nodiscard]] const char* to_string(BvhChannel channel) noexcept;

/// One joint of the hierarchy. Its segment moves with it and has its name.
struct BvhJoint {
  std::string name;
  int parent = -1;                                   ///< index, smaller than its own; -1 for a root
  Eigen::Vector3d offset = Eigen::Vector3d::Zero();  ///< origin in the parent's frame [file units]
  std::vector<BvhChannel> channels;                  ///< in declared order
  int first_channel = 0;                             ///< column of channels[0] in a frame
  std::vector<Eigen::Vector3d> end_sites;            ///< ends of the segment in its own frame [file units]
  bool operator==(const BvhJoint&) const = default;
};

/// Effect of position channels on the OFFSET of their joint. Exporters mean `Replace`; the original Wisconsin
/// text says `Add`. They agree when the OFFSET is zero.
enum class BvhPositions : unsigned char { Replace, Add };

struct BvhOptions {
  BvhPositions positions = BvhPositions::Replace;
  std::size_t max_bytes = std::size_t{1} << 30;  ///< larger files are refused
  int max_joints = 10'000;                       ///< more joints are refused
  int max_depth = 1'000;                         ///< deeper hierarchies are refused
};

/// A whole BVH file.
struct BvhClip {
  std::string name;              ///< of the text, for messages
  std::string format = "bvh";    ///< of the file that it was read from
  std::vector<BvhJoint> joints;  ///< as declared: depth first, parents before their children
  int channel_count = 0;         ///< numbers per frame
  std::int64_t frame_count = 0;
  std::vector<double> values;  ///< frame after frame, channel_count numbers each [file units], [deg]
  double frame_time = 0.0;     ///< as written [s]
  double rate_hz = 0.0;        ///< 1 / frame_time, snapped to the usual rate that it was rounded from
  BvhPositions positions = BvhPositions::Replace;
  std::vector<std::string> notes;  ///< repairs, one sentence each
  std::string damage;              ///< the note about missing declared frames; empty: complete

  [[nodiscard]] std::span<const double> frame(std::int64_t index) const {
    const auto width = static_cast<std::size_t>(channel_count);
    return std::span<const double>(values).subspan(static_cast<std::size_t>(index) * width, width);
  }
  /// Returns the first joint of that name.
  [[nodiscard]] std::optional<int> find_joint(std::string_view joint) const noexcept;
};

/// Parses a BVH text; messages call it `name`. Repairs unambiguous errors and notes them: wrong counts of
/// frames, JOINT instead of ROOT, missing End Sites, a truncated last frame.
/// @throws FormatError "name:line: ..." for everything else.
[[nodiscard]] BvhClip read_bvh(std::string_view text, const std::string& name,
                               const BvhOptions& options = {});

/// The same for a file. @throws FormatError also when it cannot be read.
[[nodiscard]] BvhClip read_bvh_file(const std::string& path, const BvhOptions& options = {});

/// Opens a clip as a recording of body segments. @throws FormatError for a skeleton without motion or without
/// a body; ConfigError for a map that names missing joints.
[[nodiscard]] std::unique_ptr<Recording> open_bvh(BvhClip clip, const RecordingHints& hints = {});

/// Returns the text of a clip, every number with the fewest digits that read back to the same bits.
[[nodiscard]] std::string write_bvh(const BvhClip& clip);

/// Returns the HIERARCHY of a clip, up to MOTION, which is excluded.
[[nodiscard]] std::string write_bvh_hierarchy(const std::vector<BvhJoint>& joints);

/// Returns the nearest usual frame rate [Hz] (24 to 240, the NTSC ones too) when within 0.1 % of 1 /
/// frame_time, else 1 / frame_time: files round the frame time.
[[nodiscard]] double snapped_rate(double frame_time) noexcept;

/// Computes world poses of all joints in the file's units and axes: frame `index`, 0 <= index < frame_count.
/// Resizes `pose` when needed.
void bvh_pose(const BvhClip& clip, std::int64_t index, SkeletonPose& pose);
/// The same of `joints`, which are some of the clip's with their parents.
void bvh_pose(const BvhClip& clip, const std::vector<BvhJoint>& joints, std::int64_t index,
              SkeletonPose& pose);

/// The same with all angles zero and every joint at its OFFSET.
void bvh_rest_pose(const BvhClip& clip, SkeletonPose& pose);

/// Returns the input for understanding a rig: the skeleton with up to `most_frames` evenly spread frames.
/// With three frames or more, frame 0 is excluded, because it may be an exporter's rest pose. Frames with all
/// joints in one place are left out. @throws FormatError when no frame is left, or joints are further away
/// than 1e9 units.
[[nodiscard]] SkeletonClip bvh_skeleton(const BvhClip& clip, std::int64_t most_frames = 300);

}  // namespace panto::io
