#pragma once
// A motion that is too fast for a robot, slowed down as a whole or only where it must be: same path, same
// displacement, joints within their limits of speed and acceleration. Offline.
// [Tee et al., Robust Modular Inverse Kinematics for Gesture Imitation in an Upper-Body Humanoid Robot], Eqs.
// (43)-(46), with their corrections (docs/algorithms/time_scaling.md).

#include <optional>
#include <vector>

#include "panto/motion/motion.hpp"
#include "panto/motion/passes.hpp"

namespace panto {

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
