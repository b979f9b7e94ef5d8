#pragma once
// Removes soft-tissue tremble from a sensor's readings. docs/algorithms/soft_tissue.md

#include <span>
#include <vector>

#include "panto/base/time.hpp"
#include "panto/sample/imu_sample.hpp"

namespace panto {

/// Returns one sensor's readings as if it turned like its average over windows of `window` [s]: integrates
/// its orientation from all rates, averages and differentiates it; turns force and field into its axes and
/// averages them. So trembling about changing axes, whose mean rate is not zero (coning), leaves no turn.
/// Around gaps and at both ends the window shrinks to the samples available on either side. Readings without
/// rate or force stay unchanged and count as gaps. `times`: of the readings, increasing. @throws ConfigError
/// for a window that is not > 0, or a wrong number of times.
[[nodiscard]] std::vector<ImuReading> steadied(std::span<const Time> times,
                                               std::span<const ImuReading> readings, double window);

}  // namespace panto
