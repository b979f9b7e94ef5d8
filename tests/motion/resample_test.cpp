#include "panto/motion/resample.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "apps/support/allocation_count.hpp"
#include "panto/base/error.hpp"
#include "panto/math/so3.hpp"
#include "tests/support/random_model.hpp"

namespace {

using panto::interpolate;
using panto::Resampler;
using panto::State;
using panto::test::Random;

State random_state(Random& random, panto::Time t, Eigen::Index joints) {
  State state;
  state.t = t;
  state.p_WB = panto::test::random_vector(random, 2.0);
  state.R_WB = panto::test::random_rotation(random);
  state.v_WB = panto::test::random_vector(random, 1.0);
  state.w_WB = panto::test::random_vector(random, 1.0);
  state.s.resize(joints);
  state.sdot.resize(joints);
  for (double& s : state.s) s = panto::test::uniform(random, -2.0, 2.0);
  for (double& v : state.sdot) v = panto::test::uniform(random, -5.0, 5.0);
  return state;
}

TEST(Interpolate, IsExactAtBothEnds) {
  Random random(1);
  for (int i = 0; i < 100; ++i) {
    const State a = random_state(random, 1000, 7), b = random_state(random, 21'000'000, 7);
    State out = a;
    interpolate(a, b, a.t, out);
    EXPECT_EQ(state_hash(out), state_hash(a));
    interpolate(a, b, b.t, out);
    EXPECT_EQ(state_hash(out), state_hash(b));
  }
}

TEST(Interpolate, TurnsTheBaseAtASteadyRateTheShortWay) {
  Random random(2);
  for (int i = 0; i < 200; ++i) {
    const State a = random_state(random, 0, 3), b = random_state(random, 1'000'000, 3);
    State out = a;
    interpolate(a, b, 250'000, out);
    const double whole = panto::so3::distance(a.R_WB, b.R_WB);
    EXPECT_NEAR(panto::so3::distance(a.R_WB, out.R_WB), 0.25 * whole, 1e-9);
    EXPECT_NEAR(panto::so3::distance(out.R_WB, b.R_WB), 0.75 * whole, 1e-9);
    EXPECT_TRUE(panto::so3::is_rotation(out.R_WB, 1e-12));
  }
}

TEST(Interpolate, StaysInsideWhatBothEndsKeep) {
  Random random(3);
  for (int i = 0; i < 1000; ++i) {
    const State a = random_state(random, 0, 5), b = random_state(random, 1'000'000, 5);
    State out = a;
    interpolate(a, b, static_cast<panto::Time>(random() % 1'000'000), out);
    // boxes and speeds, and a row over all joints
    EXPECT_TRUE((out.s.array() <= a.s.cwiseMax(b.s).array() + 1e-12).all());
    EXPECT_TRUE((out.s.array() >= a.s.cwiseMin(b.s).array() - 1e-12).all());
    EXPECT_TRUE((out.sdot.array() <= a.sdot.cwiseMax(b.sdot).array() + 1e-12).all());
    EXPECT_LE(out.s.sum(), std::max(a.s.sum(), b.s.sum()) + 1e-12);
  }
}

std::vector<State> resampled(const std::vector<State>& states, double rate_hz) {
  Resampler resampler(rate_hz);
  std::vector<State> out;
  State state;
  for (const State& next : states) {
    EXPECT_TRUE(resampler.push(next));
    while (resampler.pop(state)) out.push_back(state);
  }
  return out;
}

std::vector<State> ramp(double rate_hz, int count, panto::Time start) {
  std::vector<State> states;
  for (int i = 0; i < count; ++i) {
    State state;
    state.t = start + panto::frame_time(i, rate_hz);
    state.s = Eigen::Vector2d(panto::to_seconds(state.t - start), -1.0);
    state.sdot = Eigen::Vector2d(1.0, 0.0);
    states.push_back(state);
  }
  return states;
}

TEST(Resampler, MakesASteadyStreamFromAnyRate) {
  for (const double rate : {24.0, 59.94, 60.0, 120.0, 1000.0}) {
    const auto out = resampled(ramp(rate, static_cast<int>(rate * 10.0) + 1, -5), 50.0);
    // 10 s at 50 Hz, both ends; the last frame of an odd rate lies a little before 10 s
    ASSERT_GE(out.size(), 500U) << rate;
    ASSERT_LE(out.size(), 501U) << rate;
    for (std::size_t k = 0; k < out.size(); ++k) {
      EXPECT_EQ(out[k].t, -5 + static_cast<panto::Time>(k) * 20'000'000);
      EXPECT_NEAR(out[k].s[0], 0.02 * static_cast<double>(k), 1e-9) << "a ramp stays a ramp";
    }
  }
}

TEST(Resampler, GivesBackEveryStateAtItsOwnRate) {
  Random random(4);
  std::vector<State> states;
  for (int i = 0; i < 200; ++i) states.push_back(random_state(random, panto::frame_time(i, 60.0) + 77, 4));
  const auto out = resampled(states, 60.0);
  ASSERT_EQ(out.size(), states.size());
  for (std::size_t i = 0; i < out.size(); ++i) EXPECT_EQ(state_hash(out[i]), state_hash(states[i])) << i;
}

TEST(Resampler, NeverStepsFartherThanItsInputMayMove) {
  // joints that move at up to 3 rad/s between 120 Hz samples: no step of 50 Hz beyond 3/50 rad
  Random random(5);
  std::vector<State> states{random_state(random, 0, 6)};
  for (int i = 1; i < 1200; ++i) {
    State next = states.back();
    next.t = panto::frame_time(i, 120.0);
    const double dt = panto::to_seconds(next.t - states.back().t);
    for (double& s : next.s) s += panto::test::uniform(random, -3.0, 3.0) * dt;
    states.push_back(next);
  }
  const auto out = resampled(states, 50.0);
  double largest = 0.0;
  for (std::size_t k = 1; k < out.size(); ++k)
    largest = std::max(largest, (out[k].s - out[k - 1].s).cwiseAbs().maxCoeff());
  EXPECT_LE(largest, 3.0 / 50.0 + 1e-9);
  EXPECT_GT(largest, 1.0 / 50.0) << "the input moves";
}

TEST(Resampler, LeavesOutWhatIsNotNewerOrHasOtherJoints) {
  const auto states = ramp(60.0, 3, 0);
  Resampler resampler(50.0);
  EXPECT_TRUE(resampler.push(states[1]));
  EXPECT_FALSE(resampler.push(states[1]));
  EXPECT_FALSE(resampler.push(states[0]));
  State other = states[2];
  other.s = Eigen::VectorXd::Zero(3);
  EXPECT_FALSE(resampler.push(other));
  EXPECT_TRUE(resampler.push(states[2]));
}

TEST(Resampler, RefusesARateThatIsNone) {
  for (const double rate : {0.0, -50.0, std::nan(""), HUGE_VAL})
    EXPECT_THROW(Resampler{rate}, panto::ConfigError) << rate;
}

TEST(Resampler, AllocatesNothingAfterTheFirstState) {
  if (!panto::AllocationCount::available()) GTEST_SKIP() << "the sanitizer owns malloc";
  const auto states = ramp(120.0, 100, 0);
  Resampler resampler(50.0);
  State out;
  resampler.push(states[0]);
  (void)resampler.pop(out);
  resampler.push(states[1]);
  const panto::AllocationCount count;
  for (std::size_t i = 2; i < states.size(); ++i) {
    resampler.push(states[i]);
    while (resampler.pop(out)) {
    }
  }
  EXPECT_EQ(count.value(), 0);
}

}  // namespace
