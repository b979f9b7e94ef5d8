#include "panto/tracking/replaying_tracker.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <limits>
#include <random>

#include "apps/support/allocation_count.hpp"
#include "panto/base/error.hpp"
#include "panto/model/state.hpp"
#include "tests/support/swaying_leg.hpp"
#include "tests/support/test_data.hpp"

namespace panto {
namespace {

using test::Leg, test::leg_error;

constexpr std::array<std::size_t, 3> kWorn{1, 2, 3};  // sensors that the leg wears

// What arrives at once.
struct Arrival {
  Time at;
  ImuSample sample;
};

ImuSample only(const ImuSample& all, std::size_t sensor) {
  ImuSample one{all.t, std::vector<ImuReading>(all.imus.size())};
  one.imus[sensor] = all.imus[sensor];
  return one;
}

// Every reading by itself, late by up to `delay` seconds, in the order in which they arrive.
std::vector<Arrival> scattered(Leg& leg, int count, double delay, std::mt19937_64& random) {
  std::uniform_real_distribution<double> late(0.0, delay);
  std::vector<Arrival> arrivals;
  for (int k = 0; k < count; ++k) {
    const ImuSample sample = leg.at(k);
    for (const std::size_t sensor : kWorn)
      arrivals.push_back({sample.t + from_seconds(late(random)), only(sample, sensor)});
  }
  std::stable_sort(arrivals.begin(), arrivals.end(),
                   [](const Arrival& a, const Arrival& b) { return a.at < b.at; });
  return arrivals;
}

struct InOrder {
  State state;
  ChainState chain;
};

InOrder in_order(int count) {
  Leg leg;
  InertialTracker tracker(leg.model, leg.setup, leg.sensors);
  InOrder result{tracker.start_state(), {}};
  for (int k = 0; k < count; ++k) EXPECT_EQ(tracker.step(leg.at(k), result.state), StepStatus::Solved);
  result.chain = tracker.chain();
  return result;
}

TEST(ReplayingTracker, GivesTheBitsOfSamplesInOrderHoweverTheirReadingsArrive) {
  constexpr int kCount = 120;
  const InOrder expected = in_order(kCount);
  std::mt19937_64 random(1);
  for (int trial = 0; trial < test::scaled(8); ++trial) {
    Leg leg;
    InertialTracker tracker(leg.model, leg.setup, leg.sensors);
    ReplayingTracker replaying(tracker, leg.sensors.size());
    State state = tracker.start_state();
    Time newest = -1;
    int late = 0, most = 0;
    for (const Arrival& arrival : scattered(leg, kCount, 0.045, random)) {
      ASSERT_EQ(replaying.step(arrival.sample, state), StepStatus::Solved);
      newest = std::max(newest, arrival.sample.t);
      ASSERT_EQ(state.t, newest) << "a late sample does not set the clock back";
      late += replaying.replayed() > 0 ? 1 : 0;
      most = std::max(most, replaying.replayed());
    }
    EXPECT_GT(late, kCount) << "most readings of three come behind another";
    EXPECT_LE(most, 6) << "10 ms apart within 50 ms";
    EXPECT_EQ(state_hash(state), state_hash(expected.state));
    EXPECT_EQ(tracker.chain().P, expected.chain.P);
    EXPECT_EQ(tracker.chain().bias, expected.chain.bias);
  }
}

TEST(ReplayingTracker, BeginsAnewAtASampleFromBeforeTheFirst) {
  const InOrder expected = in_order(4);
  Leg leg;
  InertialTracker tracker(leg.model, leg.setup, leg.sensors);
  ReplayingTracker replaying(tracker, leg.sensors.size());
  State state = tracker.start_state();
  for (const int k : {2, 0, 3, 1}) ASSERT_EQ(replaying.step(leg.at(k), state), StepStatus::Solved) << k;
  EXPECT_EQ(state_hash(state), state_hash(expected.state));
  EXPECT_EQ(tracker.chain().P, expected.chain.P);
}

TEST(ReplayingTracker, WhatIsLostWithoutItIsWorthDegrees) {
  // one sensor of three always 30 ms behind the others, as behind a slower radio
  constexpr int kCount = 400;
  const auto error = [](bool replays) {
    Leg leg;
    InertialTracker tracker(leg.model, leg.setup, leg.sensors);
    ReplayingTracker replaying(tracker, leg.sensors.size());
    Tracker<ImuSample>& used = replays ? static_cast<Tracker<ImuSample>&>(replaying) : tracker;
    State state = tracker.start_state();
    double worst = 0.0;
    for (int k = 0; k < kCount; ++k) {
      if (k >= 3) (void)used.step(only(leg.at(k - 3), 1), state);
      ImuSample early = leg.at(k);
      early.imus[1] = {};
      EXPECT_EQ(used.step(early, state), StepStatus::Solved);
      if (k > 100) worst = std::max(worst, leg_error(leg, state));
    }
    return worst;
  };
  const double with = error(true), without = error(false);
  std::printf("shank 30 ms late: knee off by up to %.4f rad, %.4f where late samples are refused\n", with,
              without);
  EXPECT_LT(with, 0.01);
  EXPECT_GT(without, 0.1);
}

TEST(ReplayingTracker, RefusesWhatComesTooLateOrTwiceAndIsAsBefore) {
  Leg leg;
  InertialTracker tracker(leg.model, leg.setup, leg.sensors);
  ReplayingTracker replaying(tracker, leg.sensors.size());
  State state = tracker.start_state();
  for (int k = 0; k < 50; ++k) {
    if (k == 20 || k == 47) continue;
    ASSERT_EQ(replaying.step(leg.at(k), state), StepStatus::Solved);
  }
  const std::uint64_t hash = state_hash(state);
  const Eigen::MatrixXd P = tracker.chain().P;
  const auto unchanged = [&] { return state_hash(state) == hash && tracker.chain().P == P; };
  EXPECT_EQ(replaying.step(leg.at(20), state), StepStatus::TimeNotAdvancing) << "290 ms late";
  EXPECT_TRUE(unchanged());
  EXPECT_EQ(replaying.step(leg.at(48), state), StepStatus::TimeNotAdvancing) << "known";
  EXPECT_TRUE(unchanged());
  EXPECT_EQ(replaying.replayed(), 0);

  ImuSample broken = leg.at(47);
  broken.imus[2].gyro.x() = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(replaying.step(broken, state), StepStatus::TargetNotFinite);
  EXPECT_TRUE(unchanged());
  EXPECT_EQ(replaying.step(ImuSample{leg.at(47).t, std::vector<ImuReading>(4)}, state), StepStatus::NoTarget);
  EXPECT_TRUE(unchanged());
  broken.imus.pop_back();
  EXPECT_EQ(replaying.step(broken, state), StepStatus::SizeMismatch);
  EXPECT_TRUE(unchanged());

  ImuSample ancient = leg.at(47);
  ancient.t = std::numeric_limits<Time>::min();
  EXPECT_EQ(replaying.step(ancient, state), StepStatus::TimeNotAdvancing);
  State small;
  EXPECT_EQ(replaying.step(leg.at(47), small), StepStatus::SizeMismatch) << "a state of another model";
  EXPECT_TRUE(unchanged());

  EXPECT_EQ(replaying.step(leg.at(47), state), StepStatus::Solved) << "whole, after all that";
  EXPECT_EQ(replaying.replayed(), 3);
  EXPECT_FALSE(unchanged());
}

TEST(ReplayingTracker, ABrokenPartOfAKnownSampleIsTakenBack) {
  constexpr int kCount = 30;
  Leg leg;
  InertialTracker tracker(leg.model, leg.setup, leg.sensors);
  ReplayingTracker replaying(tracker, leg.sensors.size());
  State state = tracker.start_state();
  for (int k = 0; k < kCount; ++k) {
    ImuSample part = leg.at(k);
    if (k == kCount - 3) part.imus[3] = {};
    ASSERT_EQ(replaying.step(part, state), StepStatus::Solved);
  }
  ImuSample broken = only(leg.at(kCount - 3), 3);
  broken.imus[3].acc.z() = std::numeric_limits<double>::infinity();
  EXPECT_EQ(replaying.step(broken, state), StepStatus::TargetNotFinite);
  EXPECT_EQ(replaying.step(only(leg.at(kCount - 3), 3), state), StepStatus::Solved)
      << "the place is free yet";
  EXPECT_EQ(state_hash(state), state_hash(in_order(kCount).state));
}

TEST(ReplayingTracker, KeepsNoMoreThanItIsToldTo) {
  Leg leg;
  InertialTracker tracker(leg.model, leg.setup, leg.sensors);
  ReplayingTracker replaying(tracker, leg.sensors.size(), {1.0, 4});
  State state = tracker.start_state();
  for (int k = 0; k < 30; ++k) {
    if (k == 24 || k == 26 || k == 28) continue;
    ASSERT_EQ(replaying.step(leg.at(k), state), StepStatus::Solved);
  }
  // kept are 23, 25, 27, 29
  EXPECT_EQ(replaying.step(leg.at(26), state), StepStatus::Solved);
  EXPECT_EQ(replaying.replayed(), 3) << "26, 27, 29: 23 had to go";
  EXPECT_EQ(replaying.step(leg.at(24), state), StepStatus::Solved)
      << "between 23, which is known still, and 25";
  EXPECT_EQ(replaying.step(leg.at(28), state), StepStatus::Solved);
  EXPECT_EQ(replaying.step(only(leg.at(23), 1), state), StepStatus::TimeNotAdvancing);
}

TEST(ReplayingTracker, StepsWithoutAllocating) {
  if (!AllocationCount::available()) GTEST_SKIP() << "the sanitizer owns malloc";
  Leg leg;
  InertialTracker tracker(leg.model, leg.setup, leg.sensors);
  ReplayingTracker replaying(tracker, leg.sensors.size());
  State state = tracker.start_state();
  std::mt19937_64 random(2);
  const std::vector<Arrival> arrivals = scattered(leg, 60, 0.045, random);
  for (std::size_t i = 0; i < arrivals.size(); ++i) {
    const AllocationCount allocations;
    const StepStatus status = replaying.step(arrivals[i].sample, state);
    ASSERT_EQ(allocations.value(), 0) << i;
    ASSERT_EQ(status, StepStatus::Solved);
  }
}

TEST(ReplayingTracker, RefusesOptionsThatMakeNoSense) {
  Leg leg;
  InertialTracker tracker(leg.model, leg.setup, leg.sensors);
  for (const ReplayOptions& options :
       {ReplayOptions{0.0, 16}, {-1.0, 16}, {0.05, 0}, {0.05, 1001}, {kInfinity, 4}})
    EXPECT_THROW((void)ReplayingTracker(tracker, leg.sensors.size(), options), ConfigError);
  State state = tracker.start_state();
  ASSERT_EQ(tracker.step(leg.at(0), state), StepStatus::Solved);
  EXPECT_THROW((void)ReplayingTracker(tracker, leg.sensors.size()), ConfigError) << "it has begun already";
}

}  // namespace
}  // namespace panto
