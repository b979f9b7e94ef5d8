#include "panto/live/datagram_sender.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "panto/live/sample_player.hpp"

namespace panto::live {
namespace {

// A clock that only moves when somebody waits.
struct Waited {
  Time now = 1'000'000'000;
  [[nodiscard]] Clock clock() {
    return {[this] { return now; }, [this](Time t) { now = std::max(now, t); }};
  }
};

TEST(DatagramSender, SendsWhenTheyAreDue) {
  UdpSocket receiver = UdpSocket::bound_to({"127.0.0.1", 0});
  Waited waited;
  DatagramSender sender(UdpSocket::connected_to({"127.0.0.1", receiver.port()}), {.delay = 0.005},
                        waited.clock());
  for (int k = 0; k < 10; ++k) sender.send({{static_cast<std::byte>(k)}}, k * 10'000'000);
  EXPECT_EQ(waited.now, 1'090'000'000) << "nine periods of 10 ms";
  EXPECT_EQ(sender.sent(), 9) << "the last is delayed by 5 ms";
  sender.finish();
  EXPECT_EQ(waited.now, 1'095'000'000);
  EXPECT_EQ(sender.sent(), 10);
  std::array<std::byte, 16> space;
  for (int k = 0; k < 10; ++k) {
    ASSERT_TRUE(receiver.wait(1000));
    ASSERT_EQ(receiver.receive(space), 1U);
    EXPECT_EQ(space[0], static_cast<std::byte>(k));
  }
}

// Samples are their index; a datagram is the stamp in milliseconds, an introduction 255.
class Milliseconds final : public stream::SampleEncoder<SegmentSample> {
 public:
  stream::Datagrams introduction() override { return {{std::byte{255}}}; }
  stream::Datagrams encode(const SegmentSample& sample) override {
    return {{static_cast<std::byte>(sample.t / 10'000'000)}};
  }
};

// three samples of 100 Hz, and what arrives of them
std::vector<int> played(const PlayOptions& options, Time* passed = nullptr, int stop_after = 1000) {
  UdpSocket receiver = UdpSocket::bound_to({"127.0.0.1", 0});
  Waited waited;
  const Time begun = waited.now;
  DatagramSender sender(UdpSocket::connected_to({"127.0.0.1", receiver.port()}), {}, waited.clock());
  int k = 0, asked = 0;
  Milliseconds encoder;
  const Playable<SegmentSample> samples{[&k](SegmentSample& sample) {
                                          sample.t = 5'000'000'000 + k * 10'000'000;
                                          return k++ < 3;
                                        },
                                        [&k] { k = 0; }};
  const std::int64_t sent = play<SegmentSample>(
      samples, encoder, options, [&] { return ++asked > stop_after; }, sender);
  if (passed != nullptr) *passed = waited.now - begun;
  std::vector<int> arrived;
  std::array<std::byte, 16> space;
  while (receiver.wait(50) && receiver.receive(space)) arrived.push_back(static_cast<int>(space[0]));
  EXPECT_EQ(std::count_if(arrived.begin(), arrived.end(), [](int one) { return one != 255; }), sent);
  return arrived;
}

TEST(SamplePlayer, IntroducesAndSendsEachSampleInTimeFromZero) {
  Time passed = 0;
  EXPECT_EQ(played({.rate_hz = 100.0}, &passed), (std::vector{255, 0, 1, 2}));
  EXPECT_EQ(passed, 20'000'000);
  (void)played({.speed = 0.5, .rate_hz = 100.0}, &passed);
  EXPECT_EQ(passed, 40'000'000) << "half as fast";
}

TEST(SamplePlayer, GoesOnOverTheSeamOfALoopAndEndsWhereItIsTold) {
  EXPECT_EQ(played({.seconds = 0.055, .loop = true, .rate_hz = 100.0}), (std::vector{255, 0, 1, 2, 3, 4, 5}));
  // the end falls on a sample, on which rounding must not make it endless
  for (const double seconds : {0.01, 0.02, 0.03, 0.04, 0.05, 0.06, 0.07, 0.09})
    EXPECT_EQ(played({.seconds = seconds, .loop = true, .rate_hz = 100.0}).back(),
              static_cast<int>(std::lround(100.0 * seconds)))
        << seconds;
  EXPECT_EQ(played({.seconds = 0.015, .rate_hz = 100.0}), (std::vector{255, 0, 1}));
}

TEST(SamplePlayer, StopsWhenAskedAndIntroducesAgainEverySecond) {
  EXPECT_EQ(played({.loop = true, .rate_hz = 100.0}, nullptr, 4), (std::vector{255, 0, 1, 2, 3}));
  const std::vector<int> long_one = played({.loop = true, .rate_hz = 100.0}, nullptr, 201);
  EXPECT_EQ(std::count(long_one.begin(), long_one.end(), 255), 3) << "at 0, 1 and 2 s";
}

}  // namespace
}  // namespace panto::live
