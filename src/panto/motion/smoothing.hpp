#pragma once
// Smooths a whole clip without leaving any limit: zero-phase low-pass, then more only where speed,
// acceleration or jerk limits require it.

#include <cstdint>
#include <string>
#include <vector>

#include "panto/motion/motion.hpp"

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

struct SmoothedMotion {
  Motion motion;  ///< same stamps; velocities are central differences of the new positions
  SmoothingReport report;
};

/// Replaces every frame by a mean of its neighbours with non-negative weights, the same for joints that share
/// a coupled row. So positions never leave their limits, coupled rows keep holding, and no speed grows. The
/// first and last frame of each part keep their positions. Averaging repeats where a limit is exceeded, until
/// none is. The only exception is a part whose ends are too far apart for its length, which is noted. @throws
/// ConfigError for options out of range, cuts outside the motion, or stamps that are not evenly spaced within
/// a part; ModelError for states that do not fit the model or are not finite.
[[nodiscard]] SmoothedMotion smooth_motion(const Motion& motion, const Model& model,
                                           const SmoothingOptions& options = {});

}  // namespace panto
