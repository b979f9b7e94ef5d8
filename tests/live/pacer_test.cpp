#include "panto/live/pacer.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "panto/base/error.hpp"

namespace {

using namespace panto::live;
using panto::State;
using panto::Time;
using panto::WriteStatus;

constexpr Time kMs = 1'000'000;

// a clock that only moves when somebody sleeps or works
struct VirtualTime {
  Time now = 777 * kMs;
  std::vector<Time> sleeps;
  Clock clock() {
    return {[this] { return now; },
            [this](Time t) {
              sleeps.push_back(t - now);
              now = t;
            }};
  }
};

// keeps what it gets, with the time at which it came
class Kept final : public panto::Sink {
 public:
  explicit Kept(const VirtualTime& time) : time_(&time) {}
  WriteStatus write(const State& state) noexcept override {
    states.push_back(state);
    times.push_back(time_->now);
    return state.t == refused ? WriteStatus::Dropped : WriteStatus::Written;
  }
  std::vector<State> states;
  std::vector<Time> times;
  Time refused = -1;

 private:
  const VirtualTime* time_;
};

State state_at(Time t) {
  State state;
  state.t = t;
  state.s = Eigen::VectorXd::Constant(2, panto::to_seconds(t));
  state.sdot = Eigen::VectorXd::Ones(2);
  return state;
}

TEST(Pacer, WaitsForEachStamp) {
  VirtualTime time;
  Pacer pacer(time.clock());
  pacer.wait_until(1000 * kMs);
  EXPECT_EQ(time.now, 777 * kMs) << "the first is now, whatever its stamp";
  pacer.wait_until(1020 * kMs);
  EXPECT_EQ(time.now, 797 * kMs);
  time.now += 5 * kMs;  // work
  pacer.wait_until(1040 * kMs);
  EXPECT_EQ(time.now, 817 * kMs) << "work does not add up";
  EXPECT_EQ(pacer.latest(), 0.0);
}

TEST(Pacer, CatchesUpAfterAShortDelay) {
  VirtualTime time;
  Pacer pacer(time.clock());
  pacer.wait_until(0);
  time.now += 300 * kMs;
  for (Time t = 20 * kMs; t <= 300 * kMs; t += 20 * kMs) pacer.wait_until(t);
  EXPECT_EQ(time.now, 1077 * kMs) << "no sleep until it is on time";
  pacer.wait_until(320 * kMs);
  EXPECT_EQ(time.now, 1097 * kMs);
  EXPECT_NEAR(pacer.latest(), 0.28, 1e-9);
  EXPECT_EQ(pacer.restarts(), 0);
}

TEST(Pacer, GoesOnFromThereAfterALongOne) {
  VirtualTime time;
  Pacer pacer(time.clock());
  pacer.wait_until(0);
  time.now += 60'000 * kMs;  // the lid was closed
  pacer.wait_until(20 * kMs);
  EXPECT_EQ(time.now, 60'777 * kMs);
  pacer.wait_until(40 * kMs);
  EXPECT_EQ(time.now, 60'797 * kMs) << "no burst";
  EXPECT_EQ(pacer.restarts(), 1);
}

TEST(Pacer, KeepsRealTime) {
  // at least the time that the stamps say has passed; an upper bound would be the machine's, not ours
  Pacer pacer;
  const Time start = monotonic_now();
  for (Time t = 0; t <= 60 * kMs; t += 20 * kMs) pacer.wait_until(t);
  EXPECT_GE(monotonic_now() - start, 60 * kMs);
}

TEST(PacedSink, TurnsAClipIntoReferencesInTime) {
  VirtualTime time;
  Kept kept(time);
  PacedSink sink(kept, 50.0, time.clock());
  for (int i = 0; i <= 240; ++i) {
    EXPECT_EQ(sink.write(state_at(panto::frame_time(i, 120.0))), WriteStatus::Written);
    time.now += kMs / 10;  // solving
  }
  ASSERT_EQ(kept.states.size(), 101U) << "2 s at 50 Hz";
  for (std::size_t k = 0; k < kept.states.size(); ++k) {
    const Time t = static_cast<Time>(k) * 20 * kMs;
    EXPECT_EQ(kept.states[k].t, t);
    EXPECT_NEAR(kept.states[k].s[0], panto::to_seconds(t), 1e-9);
    EXPECT_GE(kept.times[k], 777 * kMs + t) << "never early";
    EXPECT_LE(kept.times[k], 777 * kMs + t + kMs) << "nor late by more than the work of a few frames";
  }
}

TEST(PacedSink, SaysWhatWasDropped) {
  VirtualTime time;
  Kept kept(time);
  kept.refused = 20 * kMs;
  PacedSink sink(kept, 50.0, time.clock());
  EXPECT_EQ(sink.write(state_at(0)), WriteStatus::Written);
  EXPECT_EQ(sink.write(state_at(20 * kMs)), WriteStatus::Dropped);
  EXPECT_EQ(sink.write(state_at(20 * kMs)), WriteStatus::Dropped) << "not newer";
  EXPECT_EQ(kept.states.size(), 2U);
  EXPECT_EQ(sink.write(state_at(40 * kMs)), WriteStatus::Written);
  EXPECT_THROW(PacedSink(kept, 0.0), panto::ConfigError);
}

}  // namespace
