#include "panto/retarget/live_clearer.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "tests/support/random_model.hpp"
#include "tests/support/test_data.hpp"
#include "tests/support/two_arms.hpp"

namespace panto {
namespace {

constexpr double kStep = 0.01;  // [s]

TEST(LiveClearer, NeverDeeperThanTwoMillimetresOnceClearOverRandomSteps) {
  const Model model(test::two_arms_spec());
  const ClearBody body = test::two_arms_body(model);
  LiveClearer clearer(model, body, {});
  test::Random random(9);
  State state = rest_state(model), before = state, target = state;
  Eigen::VectorXd speed = Eigen::VectorXd::Zero(model.dof());
  double deepest = 0.0;
  for (int n = 0; n < test::scaled_numerical(100'000); ++n) {
    // a random walk of the joints that stays below their speeds
    for (int j = 0; j < model.dof(); ++j) {
      speed[j] = 0.97 * speed[j] + test::uniform(random, -0.6, 0.6);
      target.s[j] += kStep * std::clamp(speed[j], -8.0, 8.0);
      target.s[j] = std::clamp(target.s[j], model.lower()[j], model.upper()[j]);
    }
    state = target;
    clearer.clear(n == 0 ? nullptr : &before, kStep, false, state);
    ASSERT_TRUE((state.s.array() >= model.lower().array()).all());
    ASSERT_TRUE((state.s.array() <= model.upper().array()).all());
    deepest = std::max(deepest, -test::smallest_distance(model, body.body, state));
    before = state;
  }
  EXPECT_LT(deepest, 0.002);
}

TEST(LiveClearer, ArmsThatPressOnEachOtherAtRestDoNotChatter) {
  const Model model(test::two_arms_spec());
  LiveClearer clearer(model, test::two_arms_body(model), {});
  State target = rest_state(model);
  target.s << -0.5, 0.0, -0.6, 0.5, 0.03, 0.6;
  State before = target, state = target;
  std::vector<unsigned char> held;
  int flips = 0;
  for (int n = 0; n < 600; ++n) {
    state = target;
    clearer.clear(n == 0 ? nullptr : &before, kStep, false, state);
    if (n > 100) {
      EXPECT_LT((state.s - before.s).lpNorm<Eigen::Infinity>(), 1e-4) << n;
      for (std::size_t k = 0; k < held.size(); ++k) flips += held[k] != clearer.holding()[k] ? 1 : 0;
    }
    held = clearer.holding();
    before = state;
  }
  EXPECT_LE(flips, 10) << "at most twice a second";
}

TEST(LiveClearer, AStateThatIsClearKeepsItsBits) {
  const Model model(test::two_arms_spec());
  LiveClearer clearer(model, test::two_arms_body(model), {});
  State before = rest_state(model);
  for (int n = 0; n < 100; ++n) {
    State state = rest_state(model);
    state.s[0] = 0.5 + 0.3 * std::sin(0.1 * n);
    const State same = state;
    clearer.clear(n == 0 ? nullptr : &before, kStep, false, state);
    EXPECT_EQ(state.s, same.s);
    before = state;
  }
}

TEST(LiveClearer, ArmsBrakeBeforeTheyTouchAndGoBackAfterwards) {
  const Model model(test::two_arms_spec());
  LiveClearer clearer(model, test::two_arms_body(model), {});
  State before = rest_state(model), older = before;
  double hardest = 0.0;
  State target = rest_state(model);
  for (int n = 0; n < 500; ++n) {
    const double in = n < 300 ? 0.45 - 0.55 * std::cos(2.0 * std::numbers::pi * n * kStep) : -0.1;
    target.s << -0.2, 0.0, -in, 0.2, 0.03, in;
    State state = target;
    clearer.clear(n == 0 ? nullptr : &before, kStep, false, state);
    if (n > 2)
      hardest =
          std::max(hardest, (state.s - 2.0 * before.s + older.s).lpNorm<Eigen::Infinity>() / kStep / kStep);
    older = before;
    before = state;
  }
  EXPECT_LT(hardest, 400.0) << "[rad/s^2]; a stop within a step would take 350 more than the target's 22";
  EXPECT_EQ(before.s, target.s) << "two seconds after";
}

TEST(LiveClearer, WhatIsNotFiniteChangesNothing) {
  const Model model(test::two_arms_spec());
  LiveClearer clearer(model, test::two_arms_body(model), {});
  State state = rest_state(model), before = state;
  state.s[1] = std::numeric_limits<double>::quiet_NaN();
  clearer.clear(&before, kStep, false, state);
  EXPECT_TRUE(std::isnan(state.s[1]));
  state.s << -0.5, 0.0, -0.6, 0.5, 0.03, 0.6;
  clearer.clear(&before, kStep, false, state);
  EXPECT_TRUE(state.s.allFinite());
  EXPECT_THROW(LiveClearer(model, test::two_arms_body(model), {.approach = 0.0}), ConfigError);
  EXPECT_THROW(LiveClearer(model, test::two_arms_body(model), {.margin = -1.0}), ConfigError);
}

}  // namespace
}  // namespace panto
