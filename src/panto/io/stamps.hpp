#pragma once
// Checks the time stamps of a recording and finds its frame rate.

#include <optional>
#include <string>
#include <vector>

#include "panto/base/time.hpp"

namespace panto::io {

/// Largest absolute stamp of a recording [ns]: 126 years, so that differences of stamps are stamps.
inline constexpr Time kLatestStamp = 4'000'000'000'000'000'000;

/// Slowest and fastest rate of recordings and motions [Hz]: cameras and suits reach 2000. More is a wrong
/// unit, and would make passes over windows of seconds slow.
inline constexpr double kSlowestRate = 1e-3, kFastestRate = 10'000.0;
[[nodiscard]] constexpr bool is_rate(double rate_hz) noexcept {
  return rate_hz >= kSlowestRate && rate_hz <= kFastestRate;
}
/// Refuses more than `kFastestRate` frames a second. @throws FormatError "name: ..."
void check_rate(double rate_hz, const std::string& name);

/// Returns why this stamp cannot follow the one before (if any), as the end of a message; empty if it can.
[[nodiscard]] std::string refusal_of_stamp(Time t, std::optional<Time> before);

/// Returns the nominal rate of increasing stamps [Hz]: from the mean of the steps near the median, which
/// ignores dropped frames, gaps and rounding to milliseconds; snapped to a usual rate within 0.1 % (as
/// `snapped_rate`) or to a whole number of Hz. 0 for fewer than two stamps.
[[nodiscard]] double usual_rate(const std::vector<Time>& times);

/// Returns the rate of stamps, or the file's declared rate (0: none) when both agree within 5 %. Adds
/// oddities to `notes`, one sentence each: a rate that contradicts the stamps; steps of a second and more,
/// which suggest milliseconds.
[[nodiscard]] double settle_rate(const std::vector<Time>& times, double declared_hz,
                                 std::vector<std::string>& notes);

}  // namespace panto::io
