#pragma once
// Adapts options to the frame interval of a recording.

#include <string>
#include <vector>

#include "panto/ik/solver_options.hpp"

namespace panto {

/// Widens `max_interval` if the frames of a recording of `rate_hz` are further apart and `align` is off.
/// (Without alignment, a sample after a gap holds the pose, so such a recording would never move.) Adds a
/// note.
void bridge_frames(double rate_hz, DynamicalOptions& options, std::vector<std::string>& notes);

}  // namespace panto
