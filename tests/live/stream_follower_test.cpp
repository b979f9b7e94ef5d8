#include "panto/live/stream_follower.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "apps/support/allocation_count.hpp"
#include "panto/base/error.hpp"
#include "panto/math/so3.hpp"
#include "tests/support/link_model.hpp"
#include "tests/support/random_model.hpp"
#include "tests/support/test_data.hpp"

namespace {

using namespace panto::live;
using panto::Model;
using panto::State;
using panto::Time;
using panto::test::chain_model;
using panto::test::Random;
using panto::test::uniform;

constexpr Time kMs = 1'000'000;
constexpr double kDt = 1e-3;

// joints on sinusoids of 0.7 rad and 0.5 Hz, each a little later than the one before; the base walks
State sinusoid(const Model& model, double t) {
  State state = rest_state(model);
  state.t = panto::from_seconds(t);
  const double w = std::numbers::pi;
  for (int i = 0; i < model.dof(); ++i) {
    state.s[i] = 0.7 * (std::sin(w * t + 0.3 * i) - std::sin(0.3 * i));
    state.sdot[i] = 0.7 * w * std::cos(w * t + 0.3 * i);
  }
  state.p_WB = {t, 0.0, 0.0};
  state.v_WB = {1.0, 0.0, 0.0};
  state.w_WB = {0.0, 0.0, 0.5};
  state.R_WB = panto::so3::exp(t * state.w_WB);
  return state;
}

// Checks every millisecond that nothing moves faster, or changes its speed more, than it may.
class Watch {
 public:
  Watch(const Model& model, StreamFollower& follower, double acceleration = 50.0)
      : model_(&model), follower_(&follower), acceleration_(acceleration), last_(follower.state()) {}

  const State& step(Time now) {
    const State& state = follower_->step(now);
    for (int i = 0; i < model_->dof(); ++i) {
      const double speed = std::min(model_->velocity_limit()[i], 10.0);
      EXPECT_LE(std::abs(state.sdot[i]), speed * (1.0 + 1e-12));
      EXPECT_LE(std::abs(state.s[i] - last_.s[i]), speed * kDt * (1.0 + 1e-9));
      EXPECT_LE(std::abs(state.sdot[i] - last_.sdot[i]), acceleration_ * kDt * (1.0 + 1e-9));
      EXPECT_LE(state.s[i], model_->upper()[i] + 1e-9);
      EXPECT_GE(state.s[i], model_->lower()[i] - 1e-9);
    }
    last_ = state;
    return last_;
  }

 private:
  const Model* model_;
  StreamFollower* follower_;
  double acceleration_;
  State last_;
};

TEST(StreamFollower, WaitsWhereTheRobotIs) {
  const Model model = chain_model(3);
  State start = rest_state(model);
  start.s << 0.1, -0.2, 0.3;
  start.sdot << 1.0, 1.0, 1.0;
  StreamFollower follower(model, start, 5 * kMs);
  for (Time now = 5 * kMs; now < 400 * kMs; now += kMs) {
    EXPECT_EQ(follower.step(now).s, start.s);
    EXPECT_TRUE(follower.state().sdot.isZero(0.0));
    EXPECT_EQ(follower.mode(), FollowMode::Waiting);
    EXPECT_FALSE(follower.valid());
  }
}

TEST(StreamFollower, FollowsASmoothStreamWithoutDelay) {
  const Model model = chain_model(6);
  StreamFollower follower(model, rest_state(model), 0);
  Watch watch(model, follower);
  double worst = 0.0;
  for (int ms = 0; ms < 6000; ++ms) {
    const Time now = ms * kMs;
    if (ms % 20 == 0) follower.follow(sinusoid(model, 1e-3 * ms), true, now);
    const State& state = watch.step(now);
    EXPECT_TRUE(follower.valid() || ms == 0);
    // the truth at this very millisecond: a delay of d seconds would cost up to 0.7 pi d
    if (ms > 1000) worst = std::max(worst, (state.s - sinusoid(model, 1e-3 * ms).s).cwiseAbs().maxCoeff());
    EXPECT_EQ(state.t, now);
  }
  EXPECT_LT(worst, 0.7 * std::numbers::pi * 0.0015) << "less than 1.5 ms late";
}

TEST(StreamFollower, ApproachesAFarReferenceWithinItsLimits) {
  const Model model = chain_model(3);
  StreamFollower follower(model, rest_state(model), 0);
  Watch watch(model, follower);
  State far = rest_state(model);
  far.s << 1.4, -1.4, 0.7;
  int arrived = -1;
  for (int ms = 0; ms < 1500; ++ms) {
    if (ms % 20 == 0) follower.follow(far, true, ms * kMs);
    const State& state = watch.step(ms * kMs);
    EXPECT_LE(state.s[0], 1.4 + 1e-9) << "no overshoot";
    if (arrived < 0 && (state.s - far.s).cwiseAbs().maxCoeff() < 1e-3) arrived = ms;
  }
  // 1.4 rad at 4 rad/s, speeding up and slowing down at 50 rad/s^2 and e^(-50 t) at the end: 0.35 + 0.08 +
  // 0.1 s
  EXPECT_GT(arrived, 400);
  EXPECT_LT(arrived, 600);
}

TEST(StreamFollower, SlowsDownAndHoldsWhenTheStreamIsStale) {
  const Model model = chain_model(6);
  StreamFollower follower(model, rest_state(model), 0);
  Watch watch(model, follower);
  for (int ms = 0; ms <= 2000; ++ms) {
    if (ms % 20 == 0) follower.follow(sinusoid(model, 1e-3 * ms), true, ms * kMs);
    watch.step(ms * kMs);
  }
  int stopping = -1, holding = -1;
  State held;
  for (int ms = 2001; ms < 4000; ++ms) {
    const State& state = watch.step(ms * kMs);
    if (stopping < 0 && follower.mode() == FollowMode::Stopping) stopping = ms;
    if (holding < 0 && follower.mode() == FollowMode::Holding) {
      holding = ms;
      held = state;
    }
    EXPECT_EQ(follower.valid(), holding < 0);
    if (holding < 0) continue;
    EXPECT_EQ(state.s, held.s) << "frozen";
    EXPECT_EQ(state.p_WB, held.p_WB);
    EXPECT_EQ(state.R_WB, held.R_WB);
    EXPECT_TRUE(state.sdot.isZero(0.0) && state.v_WB.isZero(0.0) && state.w_WB.isZero(0.0));
  }
  EXPECT_EQ(stopping, 2101) << "100 ms after the last reference";
  // the base needs longest: 1 m/s at 10 m/s^2
  EXPECT_NEAR(holding, 2201, 2);
  EXPECT_NEAR(held.p_WB.x(), 2.0 + 0.05, 2e-3) << "v^2/2a farther";
}

TEST(StreamFollower, StopsAtOnceAtByeOrAReferenceThatNobodyVouchesFor) {
  const Model model = chain_model(2);
  for (const bool bye : {true, false}) {
    StreamFollower follower(model, rest_state(model), 0);
    Watch watch(model, follower);
    for (int ms = 0; ms <= 200; ++ms) {
      if (ms % 20 == 0) follower.follow(sinusoid(model, 1e-3 * ms), true, ms * kMs);
      watch.step(ms * kMs);
    }
    bye ? follower.stop() : follower.follow(sinusoid(model, 0.22), false, 201 * kMs);
    watch.step(201 * kMs);
    EXPECT_EQ(follower.mode(), FollowMode::Stopping);
    for (int ms = 202; ms < 400; ++ms) watch.step(ms * kMs);
    EXPECT_EQ(follower.mode(), FollowMode::Holding);
  }
}

TEST(StreamFollower, ReturnsWithinItsLimitsWhenTheStreamComesBack) {
  const Model model = chain_model(4);
  StreamFollower follower(model, rest_state(model), 0);
  Watch watch(model, follower);
  for (int ms = 0; ms < 6000; ++ms) {
    const bool gap = ms > 1000 && ms < 3300;
    if (ms % 20 == 0 && !gap) follower.follow(sinusoid(model, 1e-3 * ms), true, ms * kMs);
    const State& state = watch.step(ms * kMs);
    if (ms <= 3300 + 800) continue;
    EXPECT_LT((state.s - sinusoid(model, 1e-3 * ms).s).cwiseAbs().maxCoeff(), 0.01) << ms;
  }
}

// whatever comes: jumps, rates beyond all limits, positions outside, any rhythm
TEST(StreamFollower, KeepsItsLimitsWhateverComes) {
  Random random(7);
  for (int run = 0; run < panto::test::scaled(20); ++run) {
    const Model model = chain_model(5);
    const double acceleration = uniform(random, 5.0, 100.0);
    FollowerOptions options;
    options.max_acceleration = acceleration;
    StreamFollower follower(model, rest_state(model), 0, options);
    Watch watch(model, follower, acceleration);
    State reference = rest_state(model);
    Time now = 0;
    for (int ms = 0; ms < 3000; ++ms) {
      if (panto::test::chance(random, 0.03)) {
        reference.t = now;
        for (double& s : reference.s) s = uniform(random, -3.0, 3.0);
        for (double& v : reference.sdot)
          v = uniform(random, -1.0, 1.0) * (panto::test::chance(random, 0.1) ? 1e9 : 8.0);
        follower.follow(reference, panto::test::chance(random, 0.95), now);
      }
      if (panto::test::chance(random, 0.001)) follower.stop();
      watch.step(now += kMs);
    }
  }
}

TEST(StreamFollower, LeavesOutAReferenceThatIsNone) {
  const Model model = chain_model(2);
  StreamFollower follower(model, rest_state(model), 0);
  State bad = rest_state(model);
  bad.s[0] = std::nan("");
  follower.follow(bad, true, 0);
  follower.follow(rest_state(chain_model(3)), true, 0);
  EXPECT_EQ(follower.mode(), FollowMode::Waiting);
}

TEST(StreamFollower, DoesNotMakeUpForTimeInWhichNobodyAsked) {
  const Model model = chain_model(1, 1.5, 1.0);
  StreamFollower follower(model, rest_state(model), 0);
  State far = rest_state(model);
  far.s[0] = 1.4;
  follower.follow(far, true, 0);
  follower.step(50 * kMs);
  follower.follow(far, true, 10'000 * kMs);
  const double before = follower.state().s[0];
  EXPECT_LE(follower.step(10'000 * kMs).s[0] - before, 0.1 + 1e-9) << "0.1 s of motion at 1 rad/s";
}

TEST(StreamFollower, CountsTheRestOfATickForTheNext) {
  const Model model = chain_model(2);
  StreamFollower coarse(model, rest_state(model), 0), fine(model, rest_state(model), 0);
  coarse.follow(sinusoid(model, 0.0), true, 0);
  fine.follow(sinusoid(model, 0.0), true, 0);
  for (Time now = 0; now <= 60 * kMs; now += 300'000) fine.step(now);
  coarse.step(60 * kMs);
  EXPECT_EQ(state_hash(coarse.state()), state_hash(fine.state()));
}

TEST(StreamFollower, RefusesOptionsOutOfRange) {
  const Model model = chain_model(2);
  const auto with = [&](auto change) {
    FollowerOptions options;
    change(options);
    StreamFollower{model, rest_state(model), 0, options};
  };
  EXPECT_THROW(with([](auto& o) { o.stale_after = 0.0; }), panto::ConfigError);
  EXPECT_THROW(with([](auto& o) { o.max_acceleration = -1.0; }), panto::ConfigError);
  EXPECT_THROW(with([](auto& o) { o.speed_limit = 0.0; }), panto::ConfigError);
  EXPECT_THROW(with([](auto& o) { o.gain = std::nan(""); }), panto::ConfigError);
  EXPECT_THROW(with([](auto& o) { o.max_extrapolation = -0.1; }), panto::ConfigError);
  EXPECT_THROW(with([](auto& o) { o.max_base_acceleration = 0.0; }), panto::ConfigError);
  EXPECT_NO_THROW(with([](auto& o) { o.max_extrapolation = 0.0; }));
  EXPECT_THROW((StreamFollower{model, rest_state(chain_model(3)), 0}), panto::ConfigError);
}

TEST(StreamFollower, AllocatesNothing) {
  if (!panto::AllocationCount::available()) GTEST_SKIP() << "the sanitizer owns malloc";
  const Model model = chain_model(29);
  StreamFollower follower(model, rest_state(model), 0);
  const State reference = sinusoid(model, 0.1);
  const panto::AllocationCount count;
  follower.follow(reference, true, 0);
  for (int ms = 0; ms < 500; ++ms) follower.step(ms * kMs);
  EXPECT_EQ(count.value(), 0);
}

}  // namespace
