#pragma once
// What the filter learnt of a body while it tracked it: where sensors sit, how long segments are.

#include <Eigen/Core>
#include <string>
#include <vector>

#include "panto/evaluation/findings.hpp"
#include "panto/inertial/sensor_setup.hpp"
#include "panto/tracking/inertial_tracker.hpp"

namespace panto {

/// Returns what a tracker knows of the body by now; empty where it refines nothing.
[[nodiscard]] RefinedBody refined_body(const InertialTracker& tracker);
/// Returns `file` with the places, turns and biases that a tracker knows by now, and how well.
[[nodiscard]] SensorSetup refined_file(SensorSetup file, const InertialTracker& tracker);

}  // namespace panto
