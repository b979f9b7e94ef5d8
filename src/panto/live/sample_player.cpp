#include "panto/live/sample_player.hpp"

#include <utility>

namespace panto::live {
namespace {

constexpr Time kIntroductionEvery = 1'000'000'000;  // [ns]

}  // namespace

template <typename Sample>
std::int64_t play(const Playable<Sample>& samples, stream::SampleEncoder<Sample>& encoder,
                  const PlayOptions& options, const std::function<bool()>& stop, DatagramSender& sender) {
  Sample sample;
  Time start = 0, last = 0, introduced = 0;  // of the stream
  std::int64_t sent = 0;
  const auto due = [&](Time t) { return static_cast<Time>(static_cast<double>(t) / options.speed); };
  for (bool again = true; again; again = again && options.loop) {
    Time first = 0;
    bool begun = false;
    while (again && samples.next(sample)) {
      if (!std::exchange(begun, true)) first = sample.t;
      sample.t = start + sample.t - first;
      again = !stop() && (options.seconds <= 0.0 || due(sample.t) <= from_seconds(options.seconds));
      if (!again) break;
      if (sent == 0 || sample.t - introduced >= kIntroductionEvery) {
        introduced = sample.t;
        sender.send(encoder.introduction(), due(introduced));
      }
      sender.send(encoder.encode(sample), due(sample.t));
      last = sample.t;
      ++sent;
    }
    again = again && begun;
    start = last + from_seconds(1.0 / options.rate_hz);
    samples.rewind();
  }
  sender.finish();
  return sent;
}

template std::int64_t play(const Playable<SegmentSample>&, stream::SampleEncoder<SegmentSample>&,
                           const PlayOptions&, const std::function<bool()>&, DatagramSender&);
template std::int64_t play(const Playable<ImuSample>&, stream::SampleEncoder<ImuSample>&, const PlayOptions&,
                           const std::function<bool()>&, DatagramSender&);

}  // namespace panto::live
