#pragma once
// Plays samples to an address in time, as a suit would send them.

#include <cstdint>
#include <functional>

#include "panto/live/datagram_sender.hpp"
#include "panto/sample/imu_sample.hpp"
#include "panto/sample/segment_sample.hpp"

namespace panto::live {

struct PlayOptions {
  double speed = 1.0;     ///< times real time, > 0
  double seconds = 0.0;   ///< after which it ends; 0: with the samples
  bool loop = false;      ///< plays them again and again
  double rate_hz = 60.0;  ///< of the samples, > 0: the gap at a loop's seam
};

/// What is played.
template <typename Sample>
struct Playable {
  std::function<bool(Sample&)> next;  ///< false: no more
  std::function<void()> rewind;       ///< the next sample is the first again
};

/// Sends samples when they are due, with an introduction first and every second of stamps. Stamps go on where
/// the samples begin again. Ends early when `stop` returns true. Returns how many samples were sent.
template <typename Sample>
std::int64_t play(const Playable<Sample>& samples, stream::SampleEncoder<Sample>& encoder,
                  const PlayOptions& options, const std::function<bool()>& stop, DatagramSender& sender);

}  // namespace panto::live
