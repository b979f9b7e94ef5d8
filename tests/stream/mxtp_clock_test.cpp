#include "panto/stream/mxtp_clock.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <random>

namespace {

using namespace panto;
using namespace panto::stream;

constexpr Time kMs = 1'000'000;

// counter and time code of a suit at `rate_hz`, as MVN sends them
MxtpInstant instant(std::int64_t index, double rate_hz, std::uint32_t first = 0, Time arrival = 0) {
  const auto ms = static_cast<std::uint32_t>(std::llround(1000.0 * static_cast<double>(index) / rate_hz));
  return {first + static_cast<std::uint32_t>(index), ms, arrival};
}

TEST(AnMvnClock, StampsByTheCounterOnceItsRateIsKnown) {
  for (const double rate : {30.0, 60.0, 100.0, 120.0, 240.0}) {
    MxtpClock clock;
    for (int i = 0; i < 1000; ++i) {
      const Time t = clock.next(instant(i, rate)).t;
      const bool known = i >= std::ceil(0.251 * rate);
      EXPECT_LE(std::abs(t - frame_time(i, rate)), known ? 0 : kMs / 2) << rate << " Hz, sample " << i;
    }
    EXPECT_EQ(clock.rate_hz(), rate);
    EXPECT_EQ(clock.rate_from(), MxtpRate::Counted);
  }
}

// counters and arrivals of a public recording of a live stream at 240 Hz
TEST(AnMvnClock, IgnoresBurstsOfArrival) {
  constexpr std::array counters{917163U, 917172U, 917177U, 917178U, 917185U};
  constexpr std::array arrivals{0.0, 27.8, 63.5, 64.0, 82.1};
  MxtpClock clock;
  for (int round = 0; round < 50; ++round) {
    for (std::size_t i = 0; i < counters.size(); ++i) {
      const std::int64_t index = counters[i] - counters[0] + 30 * round;
      const Time arrival = from_seconds(1e-3 * arrivals[i] + 0.125 * round);
      const Time t = clock.next(instant(index, 240.0, counters[0], arrival)).t;
      EXPECT_LE(std::abs(t - frame_time(index, 240.0)), round < 3 ? kMs / 2 : 0) << index;
    }
  }
}

TEST(AnMvnClock, StampsByTheTimeCodeWhereTheRateIsUnusual) {
  MxtpClock clock;
  for (int i = 0; i < 500; ++i) {
    EXPECT_LE(std::abs(clock.next(instant(i, 66.0)).t - frame_time(i, 66.0)), kMs / 2);
  }
  EXPECT_EQ(clock.rate_from(), MxtpRate::TimeCode);
}

TEST(AnMvnClock, LearnsTheRateFromArrivalWhereTheTimeCodeStandsStill) {
  std::mt19937_64 random(3);
  MxtpClock clock;
  Time last = -1, arrival = 0;
  for (int i = 0; i < 600; ++i) {
    arrival = std::max(arrival, frame_time(i, 60.0) + static_cast<Time>(random() % 36) * kMs);
    const Time t = clock.next({static_cast<std::uint32_t>(i), 0, arrival}).t;
    EXPECT_GT(t, last);
    if (i > 150) {
      EXPECT_EQ((t - last + 500) / 1000, 16667) << "the counter alone, once two seconds have passed";
    }
    last = t;
  }
  EXPECT_EQ(clock.rate_from(), MxtpRate::Arrival);
  EXPECT_EQ(clock.rate_hz(), 60.0) << "snapped: bursts of 36 ms are 2 % of two seconds";
}

TEST(AnMvnClock, GivesTheSameStampsByDatesAsByLocalTime) {
  // a recording holds dates [ns since 1970], whose nanoseconds a double cannot hold
  MxtpClock live, again;
  constexpr Time kDate = 1'790'000'000'000'000'000;
  for (std::uint32_t k = 0; k < 1000; ++k) {
    const Time arrival = frame_time(k, 90.0) + (k * 7919) % 1001;
    ASSERT_EQ(live.next({k, 0, arrival}).t, again.next({k, 0, kDate + arrival}).t) << k;
  }
}

TEST(AnMvnClock, RunsOnWhereTheCounterWraps) {
  MxtpClock clock;
  for (int i = 0; i < 200; ++i) {
    const Time t = clock.next(instant(i, 60.0, 0xffffff9cU)).t;
    EXPECT_LE(std::abs(t - frame_time(i, 60.0)), kMs / 2);
  }
}

TEST(AnMvnClock, GoesOnAfterARestart) {
  MxtpClock clock;
  Time last = 0;
  for (int i = 0; i < 100; ++i) last = clock.next(instant(i, 60.0, 5000)).t;
  clock.restart();
  const auto first = clock.next(instant(0, 60.0));
  EXPECT_TRUE(first.cut);
  EXPECT_EQ(first.t, last + from_seconds(1.0 / 60.0)) << "how long the pause was is unknown";
  EXPECT_FALSE(clock.next(instant(1, 60.0)).cut);
  for (int i = 2; i < 100; ++i) last = clock.next(instant(i, 60.0)).t;
  EXPECT_EQ(last, first.t + frame_time(99, 60.0));
}

TEST(AnMvnClock, CutsWhereTheTimeCodeRestarts) {
  MxtpClock clock;
  for (int i = 0; i < 200; ++i) (void)clock.next(instant(i, 60.0));
  const auto stamp = clock.next({200, 0, 0});
  EXPECT_TRUE(stamp.cut);
  EXPECT_LE(std::abs(stamp.t - frame_time(200, 60.0)), 1) << "the counter goes on, so the time is known";
  EXPECT_LE(std::abs(clock.next({201, 17, 0}).t - frame_time(201, 60.0)), 1) << "rounded twice";
}

TEST(AnMvnClock, IsNotCarriedAwayByATimeCodeThatStepsBackALittle) {
  MxtpClock clock;
  (void)clock.next({0, 100, 0});
  EXPECT_EQ(clock.next({1, 98, 0}).t, 100'000) << "the least step, not 2^32 ms";
  EXPECT_EQ(clock.next({2, 133, 0}).t, 33 * kMs);
}

TEST(AnMvnClock, UnlearnsARateThatADamagedTimeCodeTaught) {
  MxtpClock clock;
  for (int i = 0; i < 5; ++i) (void)clock.next(instant(i, 60.0));
  MxtpInstant damaged = instant(5, 60.0);
  damaged.time_code = 250;  // 5 samples in 250 ms: 20 Hz
  (void)clock.next(damaged);
  ASSERT_EQ(clock.rate_hz(), 20.0);
  Time last = 0;
  for (int i = 6; i < 1800; ++i) {
    const Time t = clock.next(instant(i, 60.0)).t;
    EXPECT_GT(t, last);
    last = t;
  }
  EXPECT_EQ(clock.rate_hz(), 60.0) << "reviewed when 10 s of time code have passed";
}

TEST(AnMvnClock, FindsTheRateThatADamagedTimeCodeHid) {
  MxtpClock clock;
  for (int i = 0; i < 13; ++i) (void)clock.next(instant(i, 60.0));
  MxtpInstant damaged = instant(13, 60.0);
  damaged.time_code = 280;  // 46 Hz
  (void)clock.next(damaged);
  ASSERT_EQ(clock.rate_from(), MxtpRate::TimeCode);
  for (int i = 14; i < 700; ++i) (void)clock.next(instant(i, 60.0));
  EXPECT_EQ(clock.rate_hz(), 60.0);
}

TEST(MissingSamples, AreCountedByTheUsualStride) {
  StrideCount stride;
  std::int64_t missing = 0;
  for (int i = 0; i < 20; ++i) missing += stride.missing(4);
  EXPECT_EQ(missing, 0);
  EXPECT_EQ(stride.missing(12), 2) << "every fourth counter: two are missing";
  EXPECT_EQ(stride.missing(5), 0) << "no multiple of the stride";
  EXPECT_EQ(stride.missing(4), 0);
}

TEST(MissingSamples, AreNotGuessedWhereASenderSkipsIrregularly) {
  StrideCount stride;
  std::int64_t missing = 0;
  for (int i = 0; i < 200; ++i)
    missing += stride.missing(std::array{9U, 5U, 1U, 7U}[static_cast<std::size_t>(i % 4)]);
  EXPECT_EQ(missing, 0);
}

TEST(MissingSamples, AreCountedAtThirtyPercentLoss) {
  std::mt19937_64 random(4);
  StrideCount stride;
  std::uint32_t step = 1;
  std::int64_t counted = 0, lost = 0;
  for (int i = 0; i < 10'000; ++i) {
    if (random() % 10 < 3) {
      ++step;
      ++lost;
    } else {
      counted += stride.missing(step);
      step = 1;
    }
  }
  EXPECT_NEAR(static_cast<double>(counted), static_cast<double>(lost), 20.0)
      << "all but those of the first steps";
}

}  // namespace
