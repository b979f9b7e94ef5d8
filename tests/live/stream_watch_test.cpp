#include "panto/live/stream_watch.hpp"

#include <gtest/gtest.h>

namespace panto::live {
namespace {

constexpr Time kPeriod = 10'000'000, kMillisecond = 1'000'000;  // 100 Hz

// samples from `from` to `to`, all used
void play(StreamWatch& watch, Time from, Time to, bool used = true, bool returning = false) {
  for (Time t = from; t < to; t += kPeriod) {
    watch.came(t, t);
    watch.stepped(used, returning);
  }
}

TEST(StreamWatch, WaitsUntilTheFirstSample) {
  StreamWatch watch;
  EXPECT_EQ(watch.at(1000 * kMillisecond), StreamState::Waiting);
  watch.came(5, 0);
  EXPECT_EQ(watch.at(5), StreamState::Good);
}

TEST(StreamWatch, CallsAStreamLateAfter50MillisecondsAndLostAfterHalfASecond) {
  StreamWatch watch;
  play(watch, 0, 100 * kPeriod);
  const Time last = 99 * kPeriod;
  EXPECT_EQ(watch.at(last + 50 * kMillisecond), StreamState::Good);
  EXPECT_EQ(watch.at(last + 51 * kMillisecond), StreamState::Late);
  EXPECT_EQ(watch.at(last + 500 * kMillisecond), StreamState::Late);
  EXPECT_EQ(watch.at(last + 501 * kMillisecond), StreamState::Lost);
  EXPECT_EQ(watch.at(last + 900 * kMillisecond), StreamState::Lost);
  EXPECT_EQ(watch.losses(), 0) << "it may have ended";
  watch.came(last + 901 * kMillisecond, last + 901 * kMillisecond);
  EXPECT_EQ(watch.losses(), 1);
}

TEST(StreamWatch, GivesASlowStreamTwoPeriods) {
  StreamWatch watch;
  for (int k = 0; k < 20; ++k) {  // 10 Hz
    watch.came(k * 100 * kMillisecond, k * 100 * kMillisecond);
    watch.stepped(true, false);
  }
  EXPECT_EQ(watch.at(2090 * kMillisecond), StreamState::Good);
  EXPECT_EQ(watch.at(2101 * kMillisecond), StreamState::Late);
}

TEST(StreamWatch, ReturnsUntilTheMotionHasCaughtUp) {
  StreamWatch watch;
  play(watch, 0, 10 * kPeriod);
  const Time back = 2000 * kMillisecond;
  EXPECT_EQ(watch.at(back), StreamState::Lost);
  play(watch, back, back + 20 * kPeriod, true, true);
  EXPECT_EQ(watch.at(back + 19 * kPeriod), StreamState::Returning);
  play(watch, back + 20 * kPeriod, back + 21 * kPeriod);
  EXPECT_EQ(watch.at(back + 20 * kPeriod), StreamState::Good);
  EXPECT_EQ(watch.losses(), 1);
  EXPECT_EQ(watch.longest_gap(), back - 9 * kPeriod);
}

TEST(StreamWatch, IsAtFaultWhenNoSampleCanBeUsedForHalfASecond) {
  StreamWatch watch;
  play(watch, 0, 10 * kPeriod);
  play(watch, 10 * kPeriod, 59 * kPeriod, false);
  EXPECT_EQ(watch.at(58 * kPeriod), StreamState::Good);
  play(watch, 59 * kPeriod, 61 * kPeriod, false);
  EXPECT_EQ(watch.at(60 * kPeriod), StreamState::Fault);
  EXPECT_EQ(watch.unused(), 51);
  play(watch, 61 * kPeriod, 62 * kPeriod);
  EXPECT_EQ(watch.at(61 * kPeriod), StreamState::Good);
}

TEST(StreamWatch, NamesAnItemThatIsMissingFor100Milliseconds) {
  StreamWatch watch(2);
  for (int k = 0; k < 30; ++k) {
    watch.came(k * kPeriod, k * kPeriod);
    watch.has(0);
    if (k < 10) watch.has(1);
    EXPECT_FALSE(watch.is_missing(0));
    EXPECT_EQ(watch.is_missing(1), k > 19) << k;
  }
}

// the state after 10 s whose stamps run `times` as fast as arrival
StreamState after_ten_seconds(double times, StreamWatch& watch) {
  for (int k = 0; k <= 1000; ++k) {
    watch.came(k * kPeriod, static_cast<Time>(times * static_cast<double>(k * kPeriod)));
    watch.stepped(true, false);
  }
  return watch.at(1000 * kPeriod);
}

TEST(StreamWatch, TellsAClockThatRunsAwayFromOneThatDrifts) {
  for (const double crystal : {0.99, 1.0, 1.01}) {
    StreamWatch watch;
    EXPECT_EQ(after_ten_seconds(crystal, watch), StreamState::Good) << crystal;
    EXPECT_EQ(watch.fast() + watch.slow(), 0);
  }
  StreamWatch fast, slow;
  EXPECT_EQ(after_ten_seconds(18.0, fast), StreamState::Clock);
  EXPECT_NEAR(static_cast<double>(fast.fast()), 1000.0 - 300.0 / 16.95, 2.0)
      << "a second of lead is allowed, and 2 s that wait at the start";
  EXPECT_EQ(after_ten_seconds(0.5, slow), StreamState::Clock);
  EXPECT_NEAR(static_cast<double>(slow.slow()), 1000.0 - 100.0 / 0.45, 2.0);
  EXPECT_EQ(fast.slow() + slow.fast(), 0);
}

TEST(StreamWatch, DoesNotCallABurstAfterAPauseAFastClock) {
  StreamWatch watch;
  for (Time t = 0; t < 1500 * kPeriod; t += kPeriod) {
    const bool held = t > 500 * kPeriod && t < 900 * kPeriod;  // the network keeps 4 s
    watch.came(held ? 900 * kPeriod : t, t);
    watch.stepped(true, false);
  }
  EXPECT_EQ(watch.fast() + watch.slow(), 0);
  EXPECT_EQ(watch.losses(), 1);
}

TEST(StreamWatch, DoesNotBlameTheStreamForAPauseOfThisProgram) {
  StreamWatch watch(1);
  play(watch, 0, 100 * kPeriod);
  watch.has(0);
  const Time back = 99 * kPeriod + 3000 * kMillisecond;
  watch.paused(back);
  for (Time t = 100 * kPeriod; t <= back; t += kPeriod) watch.came(back, t);
  EXPECT_EQ(watch.losses(), 0);
  EXPECT_EQ(watch.longest_gap(), kPeriod);
  EXPECT_EQ(watch.at(back), StreamState::Good);
  EXPECT_FALSE(watch.is_missing(0));
}

TEST(StreamWatch, KnowsTheRateOfTheSender) {
  StreamWatch watch;
  EXPECT_EQ(watch.rate_hz(), 0.0);
  for (int k = 0; k < 241; ++k) watch.came(k * kPeriod, frame_time(k, 240.0));
  EXPECT_NEAR(watch.rate_hz(), 240.0, 1e-6);
}

}  // namespace
}  // namespace panto::live
