#include "panto/sample/time_bound.hpp"

#include <gtest/gtest.h>

#include <random>

namespace panto {
namespace {

constexpr Time kMs = 1'000'000, kSecond = 1'000'000'000;
constexpr Time kStart = 77 * kSecond;  // of the clock; it must not matter

TEST(TimeBound, KeepsTheStampsOfAStreamThatJittersDriftsAndPauses) {
  std::mt19937_64 random(3);
  std::uniform_int_distribution<Time> jitter(0, 100 * kMs);
  for (const double drift : {0.99, 1.0, 1.01, 1.04}) {
    TimeBound bound;
    Time arrival = 0;
    for (int k = 0; k < 60'000; ++k) {                                        // 10 minutes
      const Time t = frame_time(k, 100.0) + (k > 30'000 ? 20 * kSecond : 0);  // 20 s are lost
      arrival =
          std::max(arrival, kStart + static_cast<Time>(static_cast<double>(t) / drift) + jitter(random));
      ASSERT_EQ(bound.bound(t, arrival), t) << k << " at " << drift;
    }
  }
}

TEST(TimeBound, KeepsABurstOfAQuarterSecondAndCutsALongerOne) {
  TimeBound bound;
  for (int k = 0; k <= 100; ++k) ASSERT_EQ(bound.bound(k * 10 * kMs, kStart + k * 10 * kMs), k * 10 * kMs);
  Time t = 1000 * kMs;
  const Time at_once = kStart + 2000 * kMs;  // after a second of silence, a second of samples
  ASSERT_EQ(bound.bound(t += 10 * kMs, at_once), 1010 * kMs);
  Time last = 0;
  for (int k = 0; k < 99; ++k) last = bound.bound(t += 10 * kMs, at_once);
  EXPECT_EQ(last, 1010 * kMs + 250 * kMs);
  EXPECT_EQ(bound.bound(t += 10 * kMs, at_once + 10 * kMs), last + 10 * kMs) << "from there on as sent";
}

TEST(TimeBound, KeepsWhatWaitedWhileTheFollowerWasSetUp) {
  TimeBound bound;
  for (int k = 0; k < 100; ++k) ASSERT_EQ(bound.bound(k * 10 * kMs, kStart), k * 10 * kMs);
}

TEST(TimeBound, LetsForgedStampsGainTheBacklogAndFivePercentAtMost) {
  std::mt19937_64 random(4);
  for (int run = 0; run < 200; ++run) {
    TimeBound bound;
    Time t = 0, arrival = kStart, last = bound.bound(0, kStart);
    for (int k = 0; k < 500; ++k) {
      t += std::uniform_int_distribution<Time>(
          1, Time{1} << std::uniform_int_distribution<>(1, 40)(random))(random);
      arrival += std::uniform_int_distribution<Time>(0, 10 * kMs)(random);
      const Time now = bound.bound(t, arrival);
      ASSERT_GE(now, last);
      last = now;
      ASSERT_LE(to_seconds(last), 1.05 * to_seconds(arrival - kStart) + 2.0 + 1e-9);
    }
  }
}

}  // namespace
}  // namespace panto
