#include "panto/live/sample_player.hpp"

namespace panto::live {
namespace {

constexpr Time kIntroductionEvery = 1'000'000'000;  // [ns]

}  // namespace

template <typename Sample>
std::int64_t play(const Playable<Sample>& samples, stream::SampleEncoder<Sample>& encoder,
                  const PlayOptions& options, const std::function<bool()>& stop, DatagramSender& sender) {
  PlayedSamples<Sample> played(samples, options.loop, options.rate_hz);
  const auto due = [&](Time t) { return static_cast<Time>(static_cast<double>(t) / options.speed); };
  Sample sample;
  Time introduced = 0;  // of the stream
  std::int64_t sent = 0;
  while (played.next(sample) && !stop()) {
    if (options.seconds > 0.0 && due(sample.t) > from_seconds(options.seconds)) break;
    if (sent == 0 || sample.t - introduced >= kIntroductionEvery) {
      introduced = sample.t;
      sender.send(encoder.introduction(), due(introduced));
    }
    sender.send(encoder.encode(sample), due(sample.t));
    ++sent;
  }
  sender.finish();
  return sent;
}

template std::int64_t play(const Playable<SegmentSample>&, stream::SampleEncoder<SegmentSample>&,
                           const PlayOptions&, const std::function<bool()>&, DatagramSender&);
template std::int64_t play(const Playable<ImuSample>&, stream::SampleEncoder<ImuSample>&, const PlayOptions&,
                           const std::function<bool()>&, DatagramSender&);

}  // namespace panto::live
