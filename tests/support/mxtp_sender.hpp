#pragma once
// A sender of MVN's network stream, and what is received of it.

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "panto/stream/mxtp_body.hpp"
#include "panto/stream/mxtp_encoder.hpp"
#include "tests/support/mxtp_stream.hpp"

namespace panto::test {

/// A sender of the moving person at 60 Hz
struct Sender {
  explicit Sender(const char* types = "02", std::size_t largest = 1472, int character = 0,
                  std::uint32_t first = 0)
      : encoder(human_segment_names(), options(types, largest, character, first)) {}

  static stream::MxtpEncoderOptions options(const std::string& types, std::size_t largest, int character,
                                            std::uint32_t first) {
    stream::MxtpEncoderOptions made;
    made.pose = types.find("02") != std::string::npos;
    made.linear = types.find("21") != std::string::npos;
    made.angular = types.find("22") != std::string::npos;
    made.largest_bytes = largest;
    made.character = character;
    made.first_counter = first;
    return made;
  }
  stream::Datagrams operator()(int i) { return encoder.encode(moving_person(i / 60.0)); }

  stream::MxtpEncoder encoder;
};

/// What a body gave, datagram by datagram; its stamps must increase.
struct Received {
  std::vector<Time> stamps;
  std::vector<bool> cut;
  explicit Received(stream::MxtpBody& to) : body(&to) {}
  stream::Brought operator()(const Bytes& datagram, Time arrival = 0) {
    const stream::Brought what = body->take(datagram, arrival);
    if (what != stream::Brought::Sample) return what;
    if (!stamps.empty()) {
      EXPECT_GT(body->sample().t, stamps.back());
    }
    stamps.push_back(body->sample().t);
    cut.push_back(body->sample().cut);
    return what;
  }
  stream::MxtpBody* body;
};

inline bool has_note(const stream::MxtpBody& body, std::string_view part) {
  const auto notes = body.notes();
  return std::any_of(notes.begin(), notes.end(),
                     [part](const std::string& note) { return note.find(part) != std::string::npos; });
}

}  // namespace panto::test
