#pragma once
// Computes a smooth lift of the base that keeps a body out of the floor; for whole clips.

#include <vector>

#include "panto/base/time.hpp"

namespace panto {

struct BaseLiftOptions {
  double tolerated = 0.005;  ///< [m], >= 0: remaining depth under the floor
  double time = 0.25;        ///< [s], > 0: time in which the base rises before a depth and sinks back after
                             ///< it; larger: calmer, and longer above the floor
};

/// Returns the lift of the base by frame [m], at least `depth` - `tolerated` and never negative: the largest
/// depth within `time`, smoothed by a window of the same reach that is twice continuously differentiable.
/// `depth` [m]: under the floor, negative above it; not finite: unknown. `cuts`: frames that do not continue
/// the one before. @throws ConfigError for lists of different lengths, stamps that do not increase, options
/// out of range.
[[nodiscard]] std::vector<double> base_lift(const std::vector<Time>& t, const std::vector<double>& depth,
                                            const BaseLiftOptions& options = {},
                                            const std::vector<int>& cuts = {});

}  // namespace panto
