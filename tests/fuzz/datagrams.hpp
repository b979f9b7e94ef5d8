#pragma once
// A stream of damaged datagrams through a decoder, and what every decoder promises.

#include <limits>
#include <memory>

#include "panto/base/index.hpp"
#include "panto/stream/protocols.hpp"
#include "tests/fuzz/recordings.hpp"
#include "tests/fuzz/seeds.hpp"

namespace panto::fuzz {

inline void check_sample(const ImuSample& sample, std::size_t names) {
  promise(sample.imus.size() == names, "a sample has an entry a name");
  for (const ImuReading& reading : sample.imus) {
    promise(!reading.has_gyro || reading.gyro.allFinite(), "a rate is finite");
    promise(!reading.has_acc || reading.acc.allFinite(), "a force is finite");
    promise(!reading.has_mag || reading.mag.allFinite(), "a field is finite");
    promise(!reading.has_orientation || std::abs(reading.wxyz_GI.norm() - 1.0) < 0.011,
            "an orientation is a quaternion of unit length");
  }
}

/// Puts length and checksum of a datagram right, so that damage reaches what is in it.
using Mend = void (*)(std::vector<std::byte>& datagram);

/// Gives the decoder datagrams of `packed` in a row: a byte with the sender, whether it is mended and the
/// time that passes; a piece.
template <typename Sample>
void check_stream(stream::SampleStream<Sample>& decoder, Bytes packed, Mend mend = nullptr) {
  Draws draws(packed);
  Time now = 0, last = std::numeric_limits<Time>::min();
  for (int count = 0; count < 300 && !draws.empty(); ++count) {
    const std::uint64_t word = draws.word(1);
    now += static_cast<Time>(word & 0x1fU) * 5'000'000;
    const std::span<const std::byte> piece = raw(draws.piece());
    std::vector<std::byte> datagram(piece.begin(), piece.end());
    if (mend != nullptr && (word & 0x20U) != 0) mend(datagram);
    const stream::Brought brought =
        decoder.gathers() ? decoder.take_from(word >> 6U, datagram, now) : decoder.take(datagram, now);
    promise(decoder.reply().size() <= datagram.size(), "an answer has no more bytes than came");
    if (brought != stream::Brought::Sample) continue;
    promise(decoder.sample().t > last, "stamps increase");
    last = decoder.sample().t;
    check_sample(decoder.sample(), decoder.names().size());
  }
  std::int64_t counted = 0;
  for (const std::int64_t number : decoder.counts().by) counted += number;
  promise(counted >= 0 && decoder.counts().lost >= 0, "counts do not wrap around");
  promise(decoder.notes().size() < 100, "notes are bounded");
  if (const auto person = decoder.person()) (void)human66(*person);
}

/// Packs what an encoder sends of samples 20 ms apart.
template <typename Sample>
std::string packed_stream(stream::SampleEncoder<Sample>& encoder, const std::vector<Sample>& samples) {
  std::string packed;
  const auto add = [&](const stream::Datagrams& datagrams) {
    for (const auto& datagram : datagrams) {
      packed += '\x24';
      pack(packed, {reinterpret_cast<const char*>(datagram.data()), datagram.size()});
    }
  };
  add(encoder.introduction());
  for (const Sample& sample : samples) add(encoder.encode(sample));
  return packed;
}

inline std::string packed_person(const std::string& scheme) {
  const auto encoder = stream::person_encoder(scheme, {.names = human_segment_names(), .rate_hz = 50.0});
  return packed_stream(*encoder, person_samples(4));
}

inline std::string packed_sensors(const std::string& scheme) {
  const auto encoder = stream::sensor_encoder(scheme, {.names = {"hip", "knee"}, .rate_hz = 50.0});
  std::vector<ImuSample> samples;
  for (int k = 0; k < 6; ++k) {
    ImuReading reading;
    reading.gyro = {0.1 * k, 0.0, 0.2};
    reading.acc = {0.0, 0.1, 9.8};
    reading.has_gyro = reading.has_acc = reading.has_orientation = true;
    samples.push_back({k * Time{20'000'000}, {reading, reading}});
  }
  return packed_stream(*encoder, samples);
}

}  // namespace panto::fuzz
