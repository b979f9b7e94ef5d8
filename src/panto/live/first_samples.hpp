#pragma once
// The beginning of a live run: samples until their rate and the person's size are known.

#include <algorithm>
#include <functional>
#include <string>

#include "panto/base/error.hpp"
#include "panto/base/text.hpp"
#include "panto/live/pacer.hpp"
#include "panto/live/source.hpp"

namespace panto::live {

/// Returns the rate of a stream within 1 .. 1000 Hz.
[[nodiscard]] inline double sane_rate(double rate_hz) noexcept { return std::clamp(rate_hz, 1.0, 1000.0); }

struct FirstSamplesOptions {
  std::string from;           ///< the stream's address, for messages
  double most_s = 0.0;        ///< wait so long at most for three samples; 0: for ever
  bool person_known = false;  ///< the stream need not tell the person's size
};

/// Takes samples until at least three came in 0.2 s and the person's size is known, which streams tell once a
/// second: 1.2 s are waited for it. `heard`: called again and again, with an empty line or with one for
/// people; what it throws ends the wait. Returns the samples' rate [Hz]. @throws Error
/// when too few samples came in time; FormatError when a source has fewer than three.
template <typename Sample>
double first_samples(LiveSource<Sample>& source, const FirstSamplesOptions& options,
                     const std::function<void(const std::string& line)>& heard) {
  constexpr double kPatience = 1.2, kShortest = 0.2, kQuiet = 2.0;  // [s]
  constexpr double kUnknownRate = 60.0;                             // [Hz]
  constexpr int kTick = 50;                                         // [ms]
  const Time begun = monotonic_now();
  Time first = 0, stamp = 0;
  std::int64_t samples = 0;
  for (bool said = false;;) {
    heard("");
    const Time now = monotonic_now();
    if (options.most_s > 0.0 && samples < 3 && to_seconds(now - begun) > options.most_s)
      throw Error(options.from +
                  (samples == 0 ? ": no sample came within " : ": too few samples came within ") +
                  digits(options.most_s, 4) + " s");
    if (source.next(kTick) && samples++ == 0) {
      first = now;
      stamp = source.decoder().sample().t;
    }
    if (!said && samples == 0 && to_seconds(now - begun) > kQuiet) {
      const std::int64_t other = source.decoder().counts().of(stream::Brought::Refused);
      heard("nothing yet at " + options.from +
            (other > 0 ? ": " + counted(other, "datagram") + " of another protocol came" : ""));
      said = true;
    }
    if (source.ended() && samples < 3)
      throw FormatError(options.from + ": fewer than three samples: there is nothing to follow");
    if (samples < 3) continue;
    const double waited = to_seconds(now - first);
    const bool knows_person = options.person_known || source.decoder().person() || waited > kPatience;
    if ((!knows_person || waited < kShortest) && !source.ended()) continue;
    const Time span = source.decoder().sample().t - stamp;
    return sane_rate(span > 0 ? static_cast<double>(samples - 1) / to_seconds(span) : kUnknownRate);
  }
}

}  // namespace panto::live
