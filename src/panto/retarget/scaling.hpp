#pragma once
// Options and results of bringing a whole motion within a robot's limits.

#include <vector>

#include "panto/motion/range_scaling.hpp"
#include "panto/motion/time_scaling.hpp"

namespace panto {

/// How a whole motion is brought within a robot's limits.
struct ScaleOptions {
  RangeScalingOptions range;
  TimeScalingOptions time;
};

/// What scaling changed in a motion.
struct ScalingReport {
  RangeScalingReport range;
  TimeScalingReport time;
  std::vector<Time> stamps;    ///< of the recorded frames in `range`
  std::vector<Time> recorded;  ///< by frame of the result: the recorded instant of its pose
  double seconds = 0.0;        ///< computing time; 0 without a clock
};

}  // namespace panto
