#pragma once
// Smooths a whole clip without leaving any limit: zero-phase low-pass, then more only where speed,
// acceleration or jerk limits require it.

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

/// Replaces every frame by a mean of its neighbours with non-negative weights, the same for joints that share
/// a coupled row. So positions never leave their limits, coupled rows keep holding, and no speed grows. The
/// first and last frame of each part keep their positions. Averaging repeats where a limit is exceeded, until
/// none is. The only exception is a part whose ends are too far apart for its length, which is noted. @throws
/// ConfigError for options out of range, cuts outside the motion, stamps that are not evenly spaced within a
/// part, or a cut-off that spans more than 70 frames; ModelError for states that do not fit the model or are
/// not finite.
[[nodiscard]] SmoothedMotion smooth_motion(const Motion& motion, const Model& model,
                                           const SmoothingOptions& options = {});

}  // namespace panto
