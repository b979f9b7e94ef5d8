#pragma once
// Options of what is done to a whole motion (smoothing, scaling into a robot's range and time), what it did,
// and the gestures that a motion holds. The passes: smoothing.hpp, range_scaling.hpp, time_scaling.hpp,
// segmentation.hpp.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "panto/base/time.hpp"
#include "panto/model/model.hpp"

namespace panto {

/// Limits apply to differences from frame to frame: (s_k - s_(k-1)) / dt, the second divided by dt^2, the
/// third by dt^3.
struct SmoothingOptions {
  double cutoff_hz = 8.0;  ///< half power of the low-pass, >= 0.1; infinity: none. Larger: less smooth
  double speed_limit = kInfinity;   ///< for joints without a limit in the model [rad/s] or [m/s], > 0
  double max_acceleration = 200.0;  ///< of every joint [rad/s^2] or [m/s^2], > 0; infinity: none
  double max_jerk = 10000.0;        ///< of every joint [rad/s^3] or [m/s^3], > 0; infinity: none
  bool base = true;                 ///< also filters the base's pose
  std::vector<int> cuts = {};       ///< frames that do not continue the one before them
  bool together = false;  ///< where a limit is exceeded, all joints and the base take the same steps, so that
                          ///< feet that stand still stay so; false: the joint alone
};

/// Effect of smoothing on a motion. Joints: revolute ones.
struct SmoothingReport {
  double joint_change_rms_rad = 0.0, joint_change_max_rad = 0.0;
  double base_change_rms_m = 0.0, base_change_max_m = 0.0;
  double base_turn_rms_rad = 0.0, base_turn_max_rad = 0.0;
  std::int64_t clamped = 0;    ///< joint positions moved onto the limits that they exceeded
  double limited_share = 0.0;  ///< share of joints and frames smoothed beyond the low-pass because of limits
  std::vector<std::string> notes;  ///< limits that cannot be met, one sentence each
};

/// The map of joint values that scales a swing.
enum class RangeMap : unsigned char {
  Linear,  ///< as published: one factor from turning point to extremum; accelerations jump where factors
           ///< change
  Smooth,  ///< the factor rises and falls smoothly from 1 at the turning point: accelerations are continuous
};

struct RangeScalingOptions {
  RangeMap map = RangeMap::Linear;
  double turning_cutoff_hz = 8.0;  ///< half power of the low-pass applied before turning points are sought
                                   ///< [Hz], >= 0.1; infinity: none. Larger: more turning points
  double prominence = 1e-3;        ///< smallest reversal of a turning point [rad] or [m], > 0. Larger: fewer
  double end_blend = 0.1;          ///< Linear: time in which a scaled swing that begins or ends with the clip
                           ///< reaches its factor [s], >= 0, so that the speed at the clip's end stays
  double row_blend = 0.25;  ///< time in which pulled joints leave and rejoin their motion [s], >= 0
};

/// One swing beyond a limit.
struct ScaledSwing {
  int first = 0, last = 0;           ///< scaled frames, both turning points included
  int extremum = 0;                  ///< frame furthest outside
  double before = 0.0, after = 0.0;  ///< value there [rad] or [m]
  double scale_before = 1.0,
         scale_behind = 1.0;  ///< mean factors of the deviation from the turning points, 0 .. 1: from
                              ///< `first` to the extremum, and on to `last`
};

/// A swing of one joint of a motion.
struct JointSwing : ScaledSwing {
  int joint = 0;  ///< index in State::s
};

/// A swing of the sum of a coupled row.
struct RowSwing : ScaledSwing {
  int row = 0;  ///< index in the model's given rows (`Model::spec()`)
};

/// Frames in which joints of coupled rows were pulled towards the rest pose.
struct PulledJoints {
  std::vector<int> joints;  ///< indices in State::s
  int first = 0, last = 0;  ///< changed frames
  double factor = 1.0;      ///< smallest, 0 .. 1, of the deviation from the rest pose
};

struct RangeScalingReport {
  std::vector<JointSwing> swings;    ///< by joint, then by time; a joint that rows moved may appear twice
  std::vector<RowSwing> rows;        ///< in the order of scaling
  std::vector<PulledJoints> pulled;  ///< remaining corners between rows and limits
  double change_max = 0.0;           ///< largest change of a joint [rad] or [m]
  double scaled_share = 0.0;         ///< share of joints and frames that changed
};

enum class TimeLaw : unsigned char {
  Uniform,  ///< one factor for the whole motion, q_f(t) = q(s_v t): keeps its rhythm
  Optimal,  ///< slower only where limits require it, never faster than recorded
};

struct TimeScalingOptions {
  TimeLaw law = TimeLaw::Optimal;
  double speed_limit = kInfinity;       ///< for joints without a limit in the model [rad/s] or [m/s], > 0
  double max_acceleration = kInfinity;  ///< of every joint [rad/s^2] or [m/s^2], > 0; infinity: none
  std::optional<double> rate_hz;        ///< of the new motion [Hz], > 0; unset: the motion's
  bool rest_at_ends =
      true;  ///< Optimal with max_acceleration: brings joints that move at an end to rest there
  double rest_speed = 0.02;  ///< a joint slower than this at an end is at rest there [rad/s] or [m/s], >= 0
};

/// A joint that exceeded its speed limit.
struct FastJoint {
  int joint = 0;      ///< index in State::s
  double peak = 0.0;  ///< largest speed before [rad/s] or [m/s]
  double limit = 0.0;
  Time at = 0;  ///< stamp of the given motion
};

struct TimeScalingReport {
  TimeLaw law = TimeLaw::Uniform;    ///< law of the motion; also Uniform when Optimal was not shorter
  double scale = 1.0;                ///< s_v = duration before / after, 0 .. 1
  double stretch = 1.0;              ///< 1 / s_v
  double before = 0.0, after = 0.0;  ///< durations [s]
  double rate_min = 1.0;             ///< slowest rate, relative to the recording
  Time slowest_at = 0;               ///< its stamp in the given motion
  std::vector<FastJoint> fast;       ///< by joint
  /// Uniform: the joint that requires the smallest factor; Optimal: the joint at its limit for most of the
  /// added time. -1: none.
  int joint = -1;
  Time joint_at = 0;             ///< stamp in the given motion where it requires most
  bool by_acceleration = false;  ///< because of its acceleration
};

/// How a whole motion is brought within a robot's limits.
struct ScaleOptions {
  RangeScalingOptions range{.map = RangeMap::Smooth};
  TimeScalingOptions time;
};

/// What scaling changed in a motion.
struct ScalingReport {
  RangeScalingReport range;
  TimeScalingReport time;
  std::vector<Time> stamps;    ///< of the recorded frames in `range`
  std::vector<Time> recorded;  ///< by frame of the result: the recorded instant of its pose
  double seconds = 0.0;        ///< computing time; 0 without a clock
};

struct SegmentationOptions {
  double speed_on =
      0.15;  ///< speed that a gesture reaches at least once [m/s], >= speed_off. Larger: fewer gestures
  double speed_off = 0.08;  ///< speed of the fastest point below which it ends [m/s], > 0. Larger: shorter
  double turn_on = 1.0;     ///< or the turn rate that it reaches [rad/s], >= turn_off. Larger: fewer gestures
  double turn_off = 0.5;    ///< and the turn rate below which it ends [rad/s], > 0. Larger: shorter
  double window = 0.075;    ///< half width of the line fit that gives speeds [s], >= 0
  double min_duration = 0.2;  ///< shorter gestures are discarded [s], >= 0
  double min_pause = 0.3;     ///< shorter pauses belong to the gesture [s], >= 0
  double pad = 0.15;          ///< longest rest included before and after [s], >= 0
  double longest_gap = 0.25;  ///< longer gaps in measurement or stamps end a gesture [s], > 0
};

/// Why a gesture begins or ends where it does.
enum class GestureEnd : unsigned char {
  Rest,         ///< all points are slow before or after it
  ClipEnd,      ///< the clip begins or ends while points are fast
  NotMeasured,  ///< the fast point is not measured before or after it, whatever the others do
  Cut,          ///< the clip is cut there while points are fast
};

[[nodiscard]] const char* to_string(GestureEnd end) noexcept;

/// One gesture, by frames of the clip.
struct Gesture {
  int first = 0, last = 0;    ///< including the added rest
  int onset = 0, offset = 0;  ///< first and last frame in motion; first <= onset <= offset <= last
  GestureEnd begin = GestureEnd::Rest, end = GestureEnd::Rest;  ///< reasons
  double speed_max = 0.0;                                       ///< [m/s]
  int fastest = 0;                                              ///< the point that reaches it
  double turn_max = 0.0;                                        ///< [rad/s]
  int quickest = 0;                                             ///< the point that reaches it
  std::string reason;  ///< a sentence: which point moves or turns, how fast, and why the gesture begins and
                       ///< ends there
};

/// What happens to parts of a robot's body that would be in each other.
enum class Collisions : unsigned char {
  Avoid,   ///< they are moved apart, as far as the model has shapes (`Link::capsules`)
  Report,  ///< they are left, and judged
  Off      ///< they are neither moved nor judged
};

/// A fixed shape in the world.
struct Obstacle {
  enum class Shape : unsigned char {
    Plane,    ///< all points whose z in the obstacle's frame is below 0
    Capsule,  ///< all points within `radius` of the segment from `p_WO` to `end_W`; a sphere: both are equal
    Box       ///< all points within `half` of `p_WO` along the axes of `R_WO`
  };
  std::string name;
  Shape shape = Shape::Plane;
  Eigen::Vector3d p_WO = Eigen::Vector3d::Zero();  ///< [m]
  Eigen::Matrix3d R_WO = Eigen::Matrix3d::Identity();
  Eigen::Vector3d end_W = Eigen::Vector3d::Zero();  ///< [m]
  double radius = 0.0;                              ///< [m], >= 0
  Eigen::Vector3d half = Eigen::Vector3d::Zero();   ///< half the box's sides [m], > 0
  bool given = false;  ///< the motion knows it: no part gets deeper into it than it was already
};

}  // namespace panto
