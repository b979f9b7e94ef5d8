#pragma once
// What the time stamps of a recording say: whether they can be one's, and how many frames a second has.

#include <optional>
#include <string>
#include <vector>

#include "panto/base/time.hpp"

namespace panto::io {

/// Latest stamp of a recording, either way of zero [ns]: 126 years, so that differences of stamps are stamps.
inline constexpr Time kLatestStamp = 4'000'000'000'000'000'000;

/// Can this stamp follow that one (if there is one)? Empty if so; else why not, as the end of a message.
[[nodiscard]] std::string refusal_of_stamp(Time t, std::optional<Time> before);

/// Nominal rate of increasing stamps [Hz]: by the mean of the steps that are like the median one, so that
/// dropped frames, gaps and rounding to a millisecond do not count, put on the usual rate that is within 0.1
/// % (as `snapped_rate`) or on a whole number of Hz likewise. 0 for fewer than two stamps.
[[nodiscard]] double usual_rate(const std::vector<Time>& times);

/// The rate of stamps of which a file also says the rate (0: it does not), which counts where they agree
/// within 5 %, and what is odd about them as sentences for `notes`: a rate that contradicts the stamps, steps
/// of a second and more, as of milliseconds taken for seconds.
[[nodiscard]] double settle_rate(const std::vector<Time>& times, double declared_hz,
                                 std::vector<std::string>& notes);

}  // namespace panto::io
