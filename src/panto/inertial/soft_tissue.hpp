#pragma once
// What a sensor would have felt on flesh that does not tremble. docs/algorithms/soft_tissue.md

#include <span>
#include <vector>

#include "panto/base/time.hpp"
#include "panto/sample/imu_sample.hpp"

namespace panto {

/// One sensor's readings as a sensor would make them that turns as this one does on average over windows of
/// `window` [s]: its orientation is integrated from all rates, averaged, and differentiated; force and field
/// are turned into its axes and averaged. So rates that tremble about changing axes, whose mean is a turn
/// although nothing turns for good (coning), leave none. Before and behind a gap, and at both ends, the
/// window shrinks to what there is on either side. Readings without rate or force are as they were, and gaps.
/// `times`: of the readings, increasing. @throws ConfigError for a window that is not > 0, or another number
/// of times.
[[nodiscard]] std::vector<ImuReading> steadied(std::span<const Time> times,
                                               std::span<const ImuReading> readings, double window);

}  // namespace panto
