// Frames of a headset.

#include "panto/stream/webxr_frame.hpp"
#include "tests/fuzz/datagrams.hpp"
#include "tests/stream/headset_person.hpp"

namespace panto::fuzz {
namespace {

void check_webxr(Bytes bytes) {
  const std::unique_ptr<stream::SampleStream<SegmentSample>> decoder = stream::person_stream("webxr");
  check_stream(*decoder, bytes);
}

Seeds seeds_of_webxr() {
  std::string packed;
  for (int k = 0; k < 4; ++k) {
    test::HeadsetPerson person;
    person.pelvis.x() = 0.05 * k;
    person.move();
    stream::WebxrFrame frame = person.body();
    frame.session = 7;
    frame.number = static_cast<std::uint32_t>(k);
    frame.t = k * Time{20'000'000};
    const std::vector<std::byte> message = stream::webxr_bytes(frame);
    packed += '\4';
    pack(packed, {reinterpret_cast<const char*>(message.data()), message.size()});
  }
  return {packed};
}

const Registered webxr_target("webxr_stream", check_webxr, seeds_of_webxr);

}  // namespace
}  // namespace panto::fuzz
