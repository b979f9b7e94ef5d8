#pragma once
// Finds oddities of a recording from its samples: jumps, gaps, repeated frames, constant or missing segments,
// left and right swapped, the floor, drift, wrong units. Rules and thresholds:
// docs/algorithms/recording_health.md.

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "panto/sample/segment_sample.hpp"

namespace panto {

enum class FindingKind : unsigned char {
  NotFinite,             ///< values that are not finite, or beyond any recording
  NotRotation,           ///< orientations that are not rotations
  TimeNotAdvancing,      ///< a stamp that is not later than the one before
  LeftRightSwap,         ///< the left leg is on the right of the feet's forward direction
  AngularVelocityUnit,   ///< measured rates are a multiple of those of the poses, e.g. degrees per second
  AngularVelocityFrame,  ///< measured rates fit in the segments' axes, not in world axes
  LinearVelocityUnit,    ///< the same for velocities
  Unit,                  ///< the person has an impossible size
  Proportions,           ///< impossible proportions of limbs, e.g. arms and legs swapped
  Jump,                  ///< a segment jumps from one frame to the next
  Flip,                  ///< a segment turns abruptly from one frame to the next
  Gap,                   ///< frames are missing
  Dropout,               ///< a segment is not valid in some frames
  RepeatedFrames,        ///< frames identical to the one before
  Constant,              ///< a limb that never turns against its neighbour
  Motionless,            ///< nothing moves at all
  Stretch,               ///< a limb changes its length
  Floor,                 ///< the feet are well above or below z = 0
  Drift,                 ///< the lowest level of the feet changes: drift, or stairs
};
inline constexpr int kFindingKindCount = 19;
/// Returns "left_right_swap" and so on: stable, for programs.
[[nodiscard]] const char* to_string(FindingKind kind) noexcept;

/// Effect of a finding on tracking the recording.
enum class Severity : unsigned char {
  Info,     ///< no effect on the result
  Warning,  ///< the result is probably wrong in places
  Error,    ///< the result is probably wrong throughout
};
/// Returns "remark", "warning" or "error".
[[nodiscard]] const char* to_string(Severity severity) noexcept;

struct Finding {
  FindingKind kind{};
  Severity severity{};
  std::string segment;           ///< segments concerned, "LeftHand, RightHand", the worst first; may be empty
  std::int64_t count = 0;        ///< affected frames (or segments times frames)
  double largest = 0.0;          ///< in the unit of the kind, see `text`
  std::int64_t worst_frame = 0;  ///< frame number, counted from that of the first sample
  Time worst_t = 0;              ///< its stamp
  std::string text;              ///< one sentence with the numbers
};

/// Lengths of one person, from the distances of segment origins in the motion (medians) [m].
struct LimbLengths {
  std::array<std::optional<double>, 2> thigh, shank, foot, upper_arm, forearm;  ///< right, left
  std::optional<double> trunk;  ///< middle of the hips to the neck
};

struct RecordingFigures {
  std::int64_t frames = 0;
  std::optional<double> rate_hz;     ///< median of the stamps' intervals
  std::optional<double> duration_s;  ///< from the first stamp to the last
  std::optional<double> floor_m;     ///< lowest level of the feet: 5th percentile of their lowest origin
  std::optional<double> travel_m;    ///< diagonal of the pelvis' horizontal bounding box
  LimbLengths limbs;
};

/// Watches a recording sample by sample. MVN's names identify segments; others are checked only for values
/// and steps.
class RecordingHealth {
 public:
  /// `names`: segments in the sample's order. `rate_hz`: nominal, for gaps; 0: the median interval.
  /// `first_frame`: number of the first sample in its file, 1 after an omitted rest pose.
  RecordingHealth(const std::vector<std::string>& names, double rate_hz, std::int64_t first_frame = 0);
  ~RecordingHealth();
  RecordingHealth(RecordingHealth&&) noexcept;
  RecordingHealth& operator=(RecordingHealth&&) noexcept;

  void add(const SegmentSample& sample);

  [[nodiscard]] RecordingFigures figures() const;
  /// Returns the findings, most severe first; one of each kind, with all its segments.
  [[nodiscard]] std::vector<Finding> findings() const;

 private:
  struct Watches;
  std::unique_ptr<Watches> watches_;
};

}  // namespace panto
