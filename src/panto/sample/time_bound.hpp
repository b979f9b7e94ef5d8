#pragma once
// Stamps of a live stream that run no faster than the clock by which they arrive.

#include <algorithm>

#include "panto/base/time.hpp"

namespace panto {

/// Bounds what stamps gain on arrival. A stream within 5 % of the clock keeps its stamps, and so does a burst
/// of up to 0.25 s (2 s in the first second, while the follower is set up). Faster streams, as of a long
/// burst or a broken or forged clock, get stamps that run with the clock, so that speed limits hold in real
/// time.
class TimeBound {
 public:
  /// Returns the bounded stamp of a sample of stamp `t` that arrived at local time `arrival` [ns]; the stamp
  /// before again, when no time is left for this sample.
  Time bound(Time t, Time arrival) noexcept {
    if (!begun_) {
      bounded_ = t;
    } else {
      const Time passed = std::clamp<Time>(arrival - arrival_, 0, kLongest);
      // a gap in the stamps that is one of arrival keeps its length
      const Time room = spare_ + passed + passed / kToleranceParts;
      const Time asked = std::max<Time>(t - t_, 0);
      const Time step = asked <= room ? asked : room >= kLeast ? room : 0;
      bounded_ += step;
      spare_ = std::min(arrival - first_ < kStart ? kBacklog : kBurst, room - step);
    }
    if (!begun_) first_ = arrival;
    begun_ = true;
    t_ = t;
    arrival_ = arrival;
    return bounded_;
  }

 private:
  static constexpr Time kBurst = 250'000'000;                              // [ns]
  static constexpr Time kStart = 1'000'000'000, kBacklog = 2'000'000'000;  // [ns]
  static constexpr Time kLeast = 1'000'000;                                // [ns] of a step that is cut short
  static constexpr Time kLongest = Time{1} << 60;                          // [ns]
  static constexpr Time kToleranceParts = 20;                              // a 20th
  bool begun_ = false;
  Time t_ = 0, first_ = 0, arrival_ = 0, bounded_ = 0, spare_ = kBacklog;
};

}  // namespace panto
