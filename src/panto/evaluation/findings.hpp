#pragma once
// What was found out about recordings and their sensors, as plain values. Found by recording_health.hpp,
// imu_check.hpp and, of sensors on a body, tracking/sensor_findings.hpp.

#include <Eigen/Core>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "panto/base/time.hpp"

namespace panto {

/// What may be odd about a recording of segments.
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

/// One thing that is odd about a recording.
struct Finding {
  FindingKind kind{};
  Severity severity{};
  std::string segment;           ///< affected segments, "LeftHand, RightHand", the worst first; may be empty
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

/// What may be wrong with raw sensors.
enum class ImuFaultKind : unsigned char {
  GyroUnit,  ///< rates are degrees per second, or radians taken for degrees
  AccUnit,   ///< accelerations are g, or gravity was taken from them
  Dead,      ///< a quantity that never changes, or one axis of it
  Frozen,    ///< the same values again and again for a while, under new stamps
  Silent,    ///< a sensor that never measured anything
  Copied,    ///< two sensors hold the same numbers
  Dropout,   ///< readings are missing
  Gap,       ///< samples are missing
  Clock,     ///< stamps are in another unit
  Spike,     ///< single readings far off both neighbours
};
/// "gyro_unit": stable, for programs.
[[nodiscard]] const char* to_string(ImuFaultKind kind) noexcept;

/// One thing that is wrong with raw sensors.
struct ImuFault {
  ImuFaultKind kind{};
  int sensor = -1;        ///< index; -1: the recording's
  bool unusable = false;  ///< nothing good can come of tracking it as it is
  std::string text;       ///< one sentence with the numbers and what to do, for people
};

/// One sensor over the recording.
struct ImuFigures {
  std::int64_t readings = 0;  ///< samples in which its gyroscope or accelerometer measured, or an orientation
  std::int64_t gyro = 0, acc = 0, mag = 0, orientation = 0;
  std::optional<double> force_median;  ///< of the norm [as read]
  std::optional<double> rate_max;      ///< of the norm [as read]
  double frozen_s = 0.0;
};

/// How well one sensor agreed with the others and the model.
struct SensorSummary {
  std::string name, link;
  std::int64_t samples = 0;  ///< of the run
  std::int64_t missing = 0;  ///< samples without a usable reading
  double field_used = 0.0;
  std::optional<double> nis_gyro, nis_acc,
      nis_orientation;  ///< mean normalised innovation squared; 3 is expected
  double frozen_s = 0.0;
  double from_s = 0.0, to_s = 0.0;  ///< of its first and last usable reading, by the recording's stamps
  double gap_longest_s = 0.0;       ///< between two usable readings

  /// Returns the share of samples, 0 to 1, without a usable reading.
  [[nodiscard]] double missing_share() const noexcept {
    return samples > 0 ? static_cast<double>(missing) / static_cast<double>(samples) : 0.0;
  }
  /// Returns whether it measured anything.
  [[nodiscard]] bool measured() const noexcept { return nis_gyro || nis_acc || nis_orientation; }
};

/// Estimated position of a sensor on its link.
struct RefinedPlace {
  std::string sensor, link;
  Eigen::Vector3d position;  ///< [m]
  Eigen::Vector3d moved;     ///< from its nominal position [m]
  Eigen::Vector3d sigma;     ///< standard deviation along each axis [m]
  bool shown = false;        ///< the motion improved the estimate notably
};

/// Estimated length of a segment, from the joint that moves it to one further out.
struct RefinedLength {
  std::string link, joint;
  double nominal = 0.0;  ///< in the model [m]
  double length = 0.0;   ///< [m]
  double sigma = 0.0;    ///< standard deviation [m]
  bool shown = false;
};

/// What a filter learnt of a body.
struct RefinedBody {
  std::vector<RefinedPlace> places;
  std::vector<RefinedLength> lengths;
  [[nodiscard]] bool empty() const noexcept { return places.empty() && lengths.empty(); }
};

struct SwappedSensors {
  std::string one, other;            ///< names of sensors
  std::string one_link, other_link;  ///< where the setup has them
  /// true: they were calibrated on the wrong segments, and each keeps its orientation relative to the segment
  /// that it sits on; false: the names were swapped afterwards. Both are the same if neither is rotated.
  bool calibrated = false;
  double before = 0.0, after = 0.0;  ///< squared innovation, mean of all sensors, without and with the swap
};

/// A joint, or two, as no person holds or moves it.
struct PostureFinding {
  std::string text;         ///< what is seen, without a cause
  double off_deg = 0.0;     ///< beyond what people do
  bool impossible = false;  ///< so far that angles mean nothing
};

/// Findings of a run about its sensors.
struct SensorFindings {
  std::string file;  ///< names the sensor setup in messages (`SensorSetup::name`)
  std::vector<SensorSummary> sensors;
  std::vector<SwappedSensors> swapped;  ///< pairs that may be swapped
  RefinedBody refined;                  ///< estimates of the body
  bool field_unused = false;            ///< magnetometers measured, and nothing fitted the field given
};

/// Figures about the human between sensors and robot, as far as the recording was read.
struct SensedFigures {
  std::string model;                        ///< name of the human
  SensorFindings found;                     ///< empty until the recording was read to its end
  std::vector<PostureFinding> posture;      ///< the same; the worst first
  std::vector<std::string> assumed_mounts;  ///< sensors without a calibrated mounting
  std::vector<double>
      step_us;  ///< of the filter by sample, forward kinematics included; empty without a clock
};

/// What smoothing sensors came to.
struct SmoothingCounts {
  int smoothed = 0;        ///< number of smoothed samples
  int kept = 0;            ///< samples left as filtered because no gain could be computed,
  int kept_deviation = 0;  ///< or whose deviation was left so
  int parts = 0;           ///< motions that begin after a silence
};

}  // namespace panto
