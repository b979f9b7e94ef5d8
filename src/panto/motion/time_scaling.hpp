#pragma once
// A motion that is too fast for a robot, slowed down as a whole or only where it must be: same path, same
// displacement, joints within their limits of speed and acceleration. Offline.
// [Tee et al., Robust Modular Inverse Kinematics for Gesture Imitation in an Upper-Body Humanoid Robot], Eqs.
// (43)-(46), with their corrections (docs/algorithms/time_scaling.md).

#include <optional>
#include <vector>

#include "panto/motion/motion.hpp"

namespace panto {

enum class TimeLaw : unsigned char {
  Uniform,  ///< one factor for all of the motion, q_f(t) = q(s_v t): its rhythm stays
  Optimal,  ///< slower only where limits ask for it, nowhere faster than recorded
};

struct TimeScalingOptions {
  TimeLaw law = TimeLaw::Optimal;
  double speed_limit = kInfinity;       ///< of joints whose model has none [rad/s] or [m/s], > 0
  double max_acceleration = kInfinity;  ///< of every joint [rad/s^2] or [m/s^2], > 0; infinity: none
  std::optional<double> rate_hz;        ///< of the new motion [Hz], > 0; unset: the motion's
  bool rest_at_ends = true;  ///< Optimal under max_acceleration: joints that move at an end are brought to
                             ///< rest there
  double rest_speed = 0.02;  ///< a joint slower than this at an end is at rest there [rad/s] or [m/s], >= 0
};

/// A joint that was faster than it may be.
struct FastJoint {
  int joint = 0;      ///< index in State::s
  double peak = 0.0;  ///< largest speed before [rad/s] or [m/s]
  double limit = 0.0;
  Time at = 0;  ///< stamp of the motion given
};

struct TimeScalingReport {
  TimeLaw law = TimeLaw::Uniform;    ///< that made the motion: Uniform too where Optimal had no shorter one
  double scale = 1.0;                ///< s_v = duration before / after, 0 .. 1
  double stretch = 1.0;              ///< 1 / s_v
  double before = 0.0, after = 0.0;  ///< durations [s]
  double rate_min = 1.0;             ///< where it is slowest, of the recorded pace
  Time slowest_at = 0;               ///< stamp of the motion given, there
  std::vector<FastJoint> fast;       ///< by joint
  /// Uniform: the joint that asks for the smallest factor; Optimal: the one at its limit for most of the
  /// time that was added. -1: none.
  int joint = -1;
  Time joint_at = 0;             ///< stamp of the motion given where it asks for most
  bool by_acceleration = false;  ///< it does by its acceleration there
};

struct TimeScaledMotion {
  Motion motion;
  std::vector<Time> from;  ///< of every frame: the stamp of the motion given whose pose it is
  TimeScalingReport report;
};

/// The path is the curve of `JointCurves` through the States: between frames too it stays within the model's
/// limits where the frames do, and its largest speeds and accelerations are known exactly. The new motion
/// samples it from the first stamp on at an even rate, its first and last pose those of the old one. Its
/// differences from frame to frame are means of the curve's derivatives, so that
///   |s_k+1 - s_k| / dt <= speed limit,  |sdot_k| <= speed limit,
///   |s_k+1 - 2 s_k + s_k-1| / dt^2 <= max_acceleration   (within the motion; with Optimal and rest at the
///   ends, also for
///                                                         a robot that stands still before and behind it)
/// Optimal takes never longer than Uniform under the same limits. The base goes along: its position on the
/// curve, its orientation by the shortest turn between frames. Frames stay where they are, and only
/// velocities are written anew, where there is nothing to slow down and no rate is asked for. Mimics and
/// coupled rows hold wherever the frames of the old motion keep them.
/// @throws ConfigError for options out of range, stamps that do not increase, or a motion that would become
/// longer than a million frames; ModelError for states that do not fit the model or are not finite.
[[nodiscard]] TimeScaledMotion scale_time(const Motion& motion, const Model& model,
                                          const TimeScalingOptions& options = {});

}  // namespace panto
