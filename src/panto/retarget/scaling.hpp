#pragma once
// How a whole motion is brought within a robot's limits, and what that did to it.

#include <vector>

#include "panto/motion/range_scaling.hpp"
#include "panto/motion/time_scaling.hpp"

namespace panto {

/// How a whole motion is brought within a robot's limits.
struct ScaleOptions {
  RangeScalingOptions range;
  TimeScalingOptions time;
};

/// What scaling did to a motion.
struct ScalingReport {
  RangeScalingReport range;
  TimeScalingReport time;
  std::vector<Time> stamps;    ///< of the recorded frames that `range` counts
  std::vector<Time> recorded;  ///< by frame of the result: the recorded instant whose pose it shows
  double seconds = 0.0;        ///< that scaling took; 0 without a clock
};

}  // namespace panto
