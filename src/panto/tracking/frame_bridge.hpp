#pragma once
// What depends on how far apart a recording's frames are.

#include <string>
#include <vector>

#include "panto/ik/solver_options.hpp"

namespace panto {

/// Widens `max_interval` where every frame of a recording of `rate_hz` comes later than that and `align` is
/// off: without alignment a sample after a gap holds the pose, and such a recording would never move. Says so
/// in `notes`.
void bridge_frames(double rate_hz, DynamicalOptions& options, std::vector<std::string>& notes);

}  // namespace panto
