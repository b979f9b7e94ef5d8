#pragma once
// Finds when all sensors of a recording are still: where poses were held. docs/algorithms/calibration.md

#include <cstddef>
#include <span>
#include <vector>

#include "panto/sample/imu_sample.hpp"

namespace panto {

/// Samples [first, last].
struct StillPart {
  std::size_t first = 0, last = 0;
};

struct StillOptions {
  double turning = 0.05;  ///< rms of a sensor's rate about its mean [rad/s], > 0
  double shaking = 0.3;   ///< rms of its specific force about its mean [m/s^2], > 0
  double wandering =
      0.02;             ///< rms of a fused orientation about its mean, for sensors without rates [rad], > 0
  double window = 0.5;  ///< length of the window [s], > 0
  double least = 1.0;   ///< shortest part [s], > 0
};

/// Returns the parts in which every measuring sensor is still, in order of time. Readings without rate and
/// force count by their orientation, if any; a window without measurements is not still.
/// @throws ConfigError for an option out of range.
[[nodiscard]] std::vector<StillPart> still_parts(std::span<const ImuSample> samples,
                                                 const StillOptions& options = {});

}  // namespace panto
