#pragma once
// A smooth correction of the base's path, for whole clips (docs/algorithms/planned_feet.md).

#include <Eigen/Core>
#include <vector>

#include "panto/base/time.hpp"

namespace panto {

/// What one coordinate of a path should be, frame by frame: `value` with `weight` >= 0.
struct PathWishes {
  std::vector<double> value;   ///< [m]
  std::vector<double> weight;  ///< per second of the clip; 0: none
};

/// Returns the path x that minimises the integral of weight (x - value)^2 + time^4 x''^2: as near to the
/// wishes as a bounded acceleration allows. Linear in the number of frames. `time` [s] > 0: larger is calmer;
/// wishes of weight 1 are followed up to about 1 / (2 pi time) Hz. `cuts`: frames that do not continue the
/// one before. Weights must have a positive sum in every part. @throws ConfigError for lists of different
/// lengths, stamps that do not increase, or `time` <= 0.
[[nodiscard]] std::vector<double> smooth_path(const std::vector<Time>& t, const PathWishes& wishes,
                                              double time, const std::vector<int>& cuts = {});

}  // namespace panto
