#pragma once
// Tells the rate of a motion: of what its velocities are the derivatives. Internal.

#include <optional>
#include <string>

#include "panto/io/motion_readings.hpp"

namespace panto::io {

struct ToldRate {
  double rate_hz = 0.0;
  std::string reason;
  Certainty certainty = Certainty::Sure;
  bool departs = false;  ///< the file, or what it holds, says another one
  std::string doubt;     ///< velocities that are derivatives at no rate; empty: none
};

/// Returns the rate of arrays. `said`: by the user.
[[nodiscard]] ToldRate rate_of(const RobotArrays& arrays, const MotionReadings& readings,
                               const Reading& reading, std::optional<double> said);

}  // namespace panto::io
