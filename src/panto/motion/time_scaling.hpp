#pragma once
// Slows down a motion that is too fast for a robot, as a whole or only where needed: same path, same
// displacement, joints within their speed and acceleration limits. Offline. [Tee et al., Robust Modular
// Inverse Kinematics for Gesture Imitation in an Upper-Body Humanoid Robot], Eqs. (43)-(46), with their
// corrections (docs/algorithms/time_scaling.md).

#include <optional>
#include <vector>

#include "panto/motion/motion.hpp"

namespace panto {

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

struct TimeScaledMotion {
  Motion motion;
  std::vector<Time> from;  ///< by frame: the stamp in the given motion with the same pose
  TimeScalingReport report;
};

/// Slows the motion down along the curve of `JointCurves` through the States. The curve stays within the
/// model's limits, also between frames, wherever the frames do, and its largest speeds and accelerations are
/// known exactly. The new motion samples it at an even rate from the first stamp on and keeps the first and
/// last pose. Its differences from frame to frame are means of the curve's derivatives, so that
///   |s_k+1 - s_k| / dt <= speed limit,  |sdot_k| <= speed limit,
///   |s_k+1 - 2 s_k + s_k-1| / dt^2 <= max_acceleration
/// within the motion; with Optimal and rest at the ends also for a robot at rest before and after it. Optimal
/// never takes longer than Uniform under the same limits. The base follows: its position on the curve, its
/// orientation along the shortest turn between frames. If nothing must be slowed and no rate is given, frames
/// stay and only velocities are recomputed. Mimics and coupled rows hold wherever the frames of the old
/// motion keep them.
/// @throws ConfigError for options out of range, stamps that do not increase, or a result of more than a
/// million frames; ModelError for states that do not fit the model or are not finite.
[[nodiscard]] TimeScaledMotion scale_time(const Motion& motion, const Model& model,
                                          const TimeScalingOptions& options = {});

}  // namespace panto
