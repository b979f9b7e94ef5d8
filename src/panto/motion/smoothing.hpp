#pragma once
// A whole clip made smoother without leaving any limit: zero-phase low-pass, then only as much more as speed,
// acceleration and jerk limits ask for, and only where.

#include <cstdint>
#include <string>
#include <vector>

#include "panto/motion/motion.hpp"
#include "panto/motion/passes.hpp"

namespace panto {

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
