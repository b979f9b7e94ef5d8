#pragma once
// Time is data: stamps are int64 nanoseconds since the start of a motion, and every dt is a difference of two
// stamps. Nothing below io/ and live/ ever reads a clock.

#include <cmath>
#include <cstdint>

namespace panto {

/// Time stamp or duration [ns].
using Time = std::int64_t;

[[nodiscard]] constexpr double to_seconds(Time t) noexcept { return static_cast<double>(t) * 1e-9; }

/// Rounds to the nearest nanosecond. |seconds| must be below 9.2e9.
[[nodiscard]] inline Time from_seconds(double seconds) noexcept {
  return static_cast<Time>(std::llround(seconds * 1e9));
}

/// Returns the stamp of frame `index` at `rate_hz`, rounded once from the index, so rounding never
/// accumulates.
[[nodiscard]] inline Time frame_time(std::int64_t index, double rate_hz) noexcept {
  return from_seconds(static_cast<double>(index) / rate_hz);
}

}  // namespace panto
