#pragma once
// How far a base must rise so that what hangs on it does not sink into the floor: smooth, for whole clips.

#include <vector>

#include "panto/base/time.hpp"

namespace panto {

struct BaseLiftOptions {
  double tolerated = 0.005;  ///< [m], >= 0: depth under the floor that is left
  double time = 0.25;        ///< [s], > 0: before and after a depth in which the base rises and sinks back;
                             ///< larger: calmer, and longer above the floor
};

/// The lift of the base by frame [m], never less than `depth` - `tolerated` and never below zero: the largest
/// of the depths within `time`, under a window of the same reach that is twice continuously differentiable.
/// `depth` [m]: under the floor, negative above it; not finite: not known. `cuts`: frames that do not
/// continue the one before. @throws ConfigError for lists of different lengths, stamps that do not increase,
/// options out of range.
[[nodiscard]] std::vector<double> base_lift(const std::vector<Time>& t, const std::vector<double>& depth,
                                            const BaseLiftOptions& options = {},
                                            const std::vector<int>& cuts = {});

}  // namespace panto
