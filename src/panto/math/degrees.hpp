#pragma once
// Degrees and radians: the library computes in radians; options, files and reports use degrees.

#include <numbers>

namespace panto {

inline constexpr double kDegree = std::numbers::pi / 180.0;     ///< [rad]
inline constexpr double kToDegrees = 180.0 / std::numbers::pi;  ///< times radians: degrees

/// Degrees of one angle, as texts show it; rounded twice, while `kToDegrees` rounds its factor first.
[[nodiscard]] constexpr double in_degrees(double radians) noexcept {
  return radians * 180.0 / std::numbers::pi;
}

}  // namespace panto
