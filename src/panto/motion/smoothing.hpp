#pragma once
// A whole clip made smoother without leaving any limit: zero-phase low-pass, then only as much more as speed,
// acceleration and jerk limits ask for, and only where.

#include <cstdint>
#include <string>
#include <vector>

#include "panto/motion/motion.hpp"

namespace panto {

/// Limits are those of differences from frame to frame: (s_k - s_(k-1)) / dt, the second divided by dt^2, the
/// third by dt^3.
struct SmoothingOptions {
  double cutoff_hz = 8.0;  ///< half power of the low-pass, >= 0.1; infinity: none. Larger: less smooth
  double speed_limit = kInfinity;   ///< of joints whose model has none [rad/s] or [m/s], > 0
  double max_acceleration = 200.0;  ///< of every joint [rad/s^2] or [m/s^2], > 0; infinity: none
  double max_jerk = 10000.0;        ///< of every joint [rad/s^3] or [m/s^3], > 0; infinity: none
  bool base = true;                 ///< the base's pose is filtered too
  std::vector<int> cuts = {};       ///< frames that do not continue the one before them
};

/// What smoothing did to a motion. Joints: revolute ones.
struct SmoothingReport {
  double joint_change_rms_rad = 0.0, joint_change_max_rad = 0.0;
  double base_change_rms_m = 0.0, base_change_max_m = 0.0;
  double base_turn_rms_rad = 0.0, base_turn_max_rad = 0.0;
  std::int64_t clamped = 0;    ///< joint positions that were outside their limits and moved onto them
  double limited_share = 0.0;  ///< of joints and frames, those that limits made smoother than the low-pass
  std::vector<std::string> notes;  ///< limits that cannot be met, one sentence each
};

struct SmoothedMotion {
  Motion motion;  ///< same stamps; velocities are central differences of the new positions
  SmoothingReport report;
};

/// Every frame becomes a weighted mean, with weights that are not negative, of frames around it, the same for
/// joints that share a coupled row. So positions never leave their limits, coupled rows that hold keep
/// holding, and no speed grows. The first and last frame of each part keep their positions. Steps of the mean
/// are repeated where a limit is exceeded, until none is; the one case in which that cannot be is a part
/// whose ends are too far apart for its length, which is noted.
/// @throws ConfigError for options out of range, cuts that are no frames, or stamps that are not evenly
/// spaced within a part; ModelError for states that do not fit the model or are not finite.
[[nodiscard]] SmoothedMotion smooth_motion(const Motion& motion, const Model& model,
                                           const SmoothingOptions& options = {});

}  // namespace panto
