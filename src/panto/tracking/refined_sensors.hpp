#pragma once
// What the filter estimated of a body while tracking: sensor positions and segment lengths.

#include <Eigen/Core>
#include <string>
#include <vector>

#include "panto/evaluation/findings.hpp"
#include "panto/inertial/sensor_setup.hpp"
#include "panto/tracking/inertial_tracker.hpp"

namespace panto {

/// Returns the tracker's current estimate of the body; empty if it refines nothing.
[[nodiscard]] RefinedBody refined_body(const InertialTracker& tracker);
/// Returns `file` with the tracker's current positions, orientations and biases, and their uncertainty.
[[nodiscard]] SensorSetup refined_file(SensorSetup file, const InertialTracker& tracker);

}  // namespace panto
