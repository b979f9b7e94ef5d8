#pragma once
// What is odd about a recording, from its samples alone: jumps, gaps, repeated frames, constant or missing
// segments, left and right exchanged, the floor, drift, units that cannot be right. Rules and thresholds:
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
  NotFinite,             ///< values that are no numbers, or beyond any recording
  NotRotation,           ///< orientations that are no rotations
  TimeNotAdvancing,      ///< a stamp that is not later than the one before
  LeftRightSwap,         ///< the left leg is on the right of where the feet point
  AngularVelocityUnit,   ///< measured rates are a multiple of what the poses do: degrees per second?
  AngularVelocityFrame,  ///< they fit in the segments' own axes, not in the world's
  LinearVelocityUnit,    ///< the same for velocities
  Unit,                  ///< the person is no person's size
  Proportions,           ///< no person's limbs compare so: are arms and legs exchanged?
  Jump,                  ///< a segment is elsewhere from one frame to the next
  Flip,                  ///< a segment is turned from one frame to the next
  Gap,                   ///< frames are missing
  Dropout,               ///< a segment is not valid in some frames
  RepeatedFrames,        ///< frames that are exactly the one before
  Constant,              ///< a limb that never turns against its neighbour
  Motionless,            ///< nothing moves at all
  Stretch,               ///< a limb changes its length
  Floor,                 ///< the feet stand well above or below z = 0
  Drift,                 ///< the lowest level of the feet moves: drift, or stairs
};
inline constexpr int kFindingKindCount = 19;
/// "left_right_swap": stable, for programs.
[[nodiscard]] const char* to_string(FindingKind kind) noexcept;

/// What a finding means for the result of tracking the recording.
enum class Severity : unsigned char {
  Info,     ///< no effect on the result
  Warning,  ///< the result is probably wrong in places
  Error,    ///< the result is probably wrong throughout
};
/// "remark", "warning" or "error"
[[nodiscard]] const char* to_string(Severity severity) noexcept;

struct Finding {
  FindingKind kind{};
  Severity severity{};
  std::string segment;           ///< whose it is, "LeftHand, RightHand", the worst first; may be nobody's
  std::int64_t count = 0;        ///< frames (or segments times frames) that have it
  double largest = 0.0;          ///< in the kind's own unit, see `text`
  std::int64_t worst_frame = 0;  ///< in order of reading, from the number of the first sample on
  Time worst_t = 0;              ///< its stamp
  std::string text;              ///< one sentence with the numbers, for people
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
  std::optional<double> travel_m;    ///< diagonal of the horizontal box that the pelvis stays in
  LimbLengths limbs;
};

/// Watches a recording go by. Segments are told by MVN's names; others count for faults of values and steps
/// only.
class RecordingHealth {
 public:
  /// `names`: segments in the sample's order. `rate_hz`: nominal, for gaps; 0: the median interval.
  /// `first_frame`: number of the first sample in its file, 1 behind a rest pose that was left out.
  RecordingHealth(const std::vector<std::string>& names, double rate_hz, std::int64_t first_frame = 0);
  ~RecordingHealth();
  RecordingHealth(RecordingHealth&&) noexcept;
  RecordingHealth& operator=(RecordingHealth&&) noexcept;

  void add(const SegmentSample& sample);

  [[nodiscard]] RecordingFigures figures() const;
  /// Heaviest first; one of a kind, with all segments that have it.
  [[nodiscard]] std::vector<Finding> findings() const;

 private:
  struct Watches;
  std::unique_ptr<Watches> watches_;
};

}  // namespace panto
