#pragma once
// Slows down a motion that is too fast for a robot, as a whole or only where needed: same path, same
// displacement, joints within their speed and acceleration limits. Offline. [Tee et al., Robust Modular
// Inverse Kinematics for Gesture Imitation in an Upper-Body Humanoid Robot], Eqs. (43)-(46), with their
// corrections (docs/algorithms/time_scaling.md).

#include <optional>
#include <vector>

#include "panto/motion/motion.hpp"
#include "panto/motion/passes.hpp"

namespace panto {

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
/// million frames, or 10 000 and 100 for each frame; ModelError for states that do not fit the model or are
/// not finite.
[[nodiscard]] TimeScaledMotion scale_time(const Motion& motion, const Model& model,
                                          const TimeScalingOptions& options = {});

}  // namespace panto
