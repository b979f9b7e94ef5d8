#pragma once
// Plays samples to an address in time, as a suit would send them.

#include <cstdint>
#include <functional>
#include <utility>

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

/// Gives the samples in their order, on one line of stamps from 0 on, again and again where `loop`: the first
/// follows the last after 1/`rate_hz`.
template <typename Sample>
class PlayedSamples {
 public:
  PlayedSamples(Playable<Sample> samples, bool loop, double rate_hz)
      : samples_(std::move(samples)), loop_(loop), step_(from_seconds(1.0 / rate_hz)) {}

  /// Reads the next sample; false: there is none.
  bool next(Sample& sample) {
    if (!samples_.next(sample)) {
      if (!loop_ || !begun_) return false;
      samples_.rewind();
      start_ = last_ + step_;
      begun_ = false;
      if (!samples_.next(sample)) return false;
    }
    if (!std::exchange(begun_, true)) first_ = sample.t;
    sample.t = last_ = start_ + sample.t - first_;
    return true;
  }

 private:
  Playable<Sample> samples_;
  bool loop_;
  Time step_, start_ = 0, first_ = 0, last_ = 0;
  bool begun_ = false;
};

/// Sends samples when they are due, with an introduction first and every second of stamps. Stamps go on where
/// the samples begin again. Ends early when `stop` returns true. Returns how many samples were sent.
template <typename Sample>
std::int64_t play(const Playable<Sample>& samples, stream::SampleEncoder<Sample>& encoder,
                  const PlayOptions& options, const std::function<bool()>& stop, DatagramSender& sender);

}  // namespace panto::live
