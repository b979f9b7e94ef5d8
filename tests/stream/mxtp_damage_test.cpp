// Whatever arrives, samples stay finite, orthonormal and in order.

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>
#include <vector>

#include "panto/stream/mxtp_body.hpp"
#include "panto/stream/mxtp_encoder.hpp"
#include "tests/support/mxtp_stream.hpp"
#include "tests/support/test_data.hpp"

namespace {

using namespace panto;
using namespace panto::stream;
using panto::test::Bytes;
using panto::test::moving_person;

std::vector<Bytes> sent(std::size_t largest) {
  MxtpEncoderOptions options;
  options.linear = options.angular = true;
  options.largest_bytes = largest;
  options.person = scaled_subject(1.8);
  MxtpEncoder encoder(human_segment_names(), options);
  std::vector<Bytes> all = encoder.introduction();
  for (int i = 0; i < 60; ++i) {
    for (Bytes& datagram : encoder.encode(moving_person(i / 60.0))) all.push_back(std::move(datagram));
  }
  return all;
}

// takes a copy of exactly its size, so that the address sanitizer sees a read one byte beyond
struct Watched {
  MxtpBody body;
  Time last = -1;
  long samples = 0;
  long unsound = 0;

  Brought operator()(std::span<const std::byte> bytes, Time arrival = 0) {
    const std::unique_ptr<std::byte[]> exact(new std::byte[std::max<std::size_t>(bytes.size(), 1)]);
    std::copy(bytes.begin(), bytes.end(), exact.get());
    const Brought what = body.take({exact.get(), bytes.size()}, arrival);
    if (what != Brought::Sample) return what;
    ++samples;
    bool sound = body.sample().t > last;
    for (const SegmentMotion& s : body.sample().segments) {
      sound = sound && so3::is_rotation(s.R_WS, 1e-9) && s.p_WS.allFinite() && s.w_WS.allFinite() &&
              s.v_WS.allFinite();
    }
    unsound += sound ? 0 : 1;
    last = body.sample().t;
    return what;
  }
};

TEST(AnMvnStream, SurvivesEveryTruncation) {
  Watched watched;
  for (const Bytes& datagram : sent(400)) {
    for (std::size_t length = 0; length < datagram.size(); ++length) {
      const Brought what = watched(std::span(datagram).first(length));
      EXPECT_EQ(what, Brought::Refused) << length << ": the header tells the size";
      if (length < kMxtpHeaderBytes) continue;
      Bytes cut(datagram.begin(), datagram.begin() + static_cast<std::ptrdiff_t>(length));
      cut[22] = cut[23] = std::byte{0};
      (void)watched(cut);
    }
    (void)watched(datagram);
  }
  EXPECT_EQ(watched.unsound, 0);
  EXPECT_GT(watched.samples, 50) << "and whole datagrams are still taken";
}

TEST(AnMvnStream, SurvivesAMillionDamagedDatagrams) {
  std::mt19937_64 random(7);
  for (const std::size_t largest : {std::size_t{200}, std::size_t{1472}}) {
    const std::vector<Bytes> whole = sent(largest);
    Watched watched;
    const int runs = test::scaled_numerical(500'000);
    Time arrival = 0;
    for (int run = 0; run < runs; ++run) {
      Bytes bytes = whole[static_cast<std::size_t>(run) % whole.size()];
      for (std::uint64_t flips = random() % 4; flips > 0; --flips) {
        // half of all damage is in the header
        const std::size_t range = random() % 2 == 0 ? std::min<std::size_t>(28, bytes.size()) : bytes.size();
        bytes[random() % range] = static_cast<std::byte>(random() & 0xffU);
      }
      if (random() % 16 == 0) bytes.resize(random() % (bytes.size() + 8));
      arrival += static_cast<Time>(random() % 20'000'000) - 1'000'000;
      (void)watched(bytes, arrival);
    }
    EXPECT_EQ(watched.unsound, 0);
    EXPECT_GT(watched.samples, runs / 1000);
    (void)watched.body.notes();
    (void)watched.body.person();
  }
}

TEST(AnMvnStream, SurvivesAMillionRandomDatagrams) {
  std::mt19937_64 random(8);
  Watched watched;
  Bytes bytes;
  const Bytes head = test::hex("4d 58 54 50 30 32");
  for (int run = 0; run < test::scaled_numerical(1'000'000); ++run) {
    bytes.resize(random() % 120);
    for (std::size_t i = 0; i < bytes.size(); i += 8) {
      std::uint64_t word = random();
      for (std::size_t k = i; k < std::min(i + 8, bytes.size()); ++k, word >>= 8U) {
        bytes[k] = static_cast<std::byte>(word & 0xffU);
      }
    }
    if (bytes.size() >= kMxtpHeaderBytes && run % 2 == 0) {
      std::copy(head.begin(), head.end(), bytes.begin());
      bytes[5] = static_cast<std::byte>("01235"[random() % 5]);
      bytes[4] = static_cast<std::byte>("012"[random() % 3]);
      bytes[22] = bytes[23] = std::byte{0};
      if (run % 4 == 0) bytes[11] = std::byte{1};
    }
    (void)watched(bytes);
  }
  EXPECT_EQ(watched.unsound, 0);
}

}  // namespace
