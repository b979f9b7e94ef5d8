#include "panto/motion/time_scaling.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <random>

#include "panto/base/error.hpp"
#include "panto/base/index.hpp"
#include "panto/io/shipped_robots.hpp"
#include "panto/math/so3.hpp"
#include "panto/motion/range_scaling.hpp"
#include "tests/support/random_motion.hpp"
#include "tests/support/test_data.hpp"

namespace panto {
namespace {

using test::random_motion;

constexpr double kRate = 80.0;

/// What a reader of the new motion sees, as shares of the limits; `still`: the robot stands still before and
/// behind.
struct Shares {
  double speed = 0.0, reported_speed = 0.0, acceleration = 0.0;
};

Shares shares(const Motion& motion, const Model& model, const TimeScalingOptions& options, bool still) {
  Shares worst;
  const int n = static_cast<int>(motion.states.size());
  const double dt = 1.0 / motion.rate_hz;
  for (int i = 0; i < model.dof(); ++i) {
    const double speed =
        std::isfinite(model.velocity_limit()[i]) ? model.velocity_limit()[i] : options.speed_limit;
    const auto q = [&](int k) { return motion.states[at(std::clamp(k, 0, n - 1))].s[i]; };
    for (int k = 0; k < n; ++k) {
      worst.reported_speed = std::max(worst.reported_speed, std::abs(motion.states[at(k)].sdot[i]) / speed);
      worst.speed = std::max(worst.speed, std::abs(q(k + 1) - q(k)) / dt / speed);
      if (!still && (k == 0 || k == n - 1)) continue;
      worst.acceleration = std::max(worst.acceleration, std::abs(q(k + 1) - 2.0 * q(k) + q(k - 1)) /
                                                            (dt * dt) / options.max_acceleration);
    }
  }
  return worst;
}

// stamps are whole nanoseconds
constexpr double kStamps = 1e-6;

void expect_same_path(const Motion& before, const Motion& after) {
  EXPECT_LE((after.states.front().s - before.states.front().s).cwiseAbs().maxCoeff(), 1e-12);
  EXPECT_LE((after.states.back().s - before.states.back().s).cwiseAbs().maxCoeff(), 1e-12)
      << "displacement kept";
  EXPECT_LE((after.states.back().p_WB - before.states.back().p_WB).norm(), 1e-12);
  EXPECT_EQ(after.states.front().t, before.states.front().t);
  for (std::size_t k = 0; k < after.states.size(); ++k)
    EXPECT_EQ(after.states[k].t,
              before.states.front().t + frame_time(static_cast<std::int64_t>(k), after.rate_hz));
}

/// Two hinges; the second is called "fast". Limits of speed as in theory 2.6.
Model two_hinges(double first = 2.0, double second = 1.5) {
  ModelSpec spec;
  spec.name = "two";
  spec.links.resize(3);
  spec.links[0].name = "base";
  for (int i = 0; i < 2; ++i) {
    Joint joint;
    joint.name = i == 0 ? "slow" : "fast";
    joint.type = JointType::Revolute;
    joint.parent = spec.links[at(i)].name;
    joint.child = spec.links[at(i + 1)].name = "link" + std::to_string(i);
    joint.velocity = i == 0 ? first : second;
    spec.joints.push_back(joint);
  }
  return Model(std::move(spec));
}

Motion motion_of(const Model& model, int frames, const std::function<Eigen::VectorXd(double)>& q) {
  Motion motion{model.name(), model.joint_names(), kRate, {}};
  State state = rest_state(model);
  for (int k = 0; k < frames; ++k) {
    state.t = frame_time(k, kRate);
    state.s = q(to_seconds(state.t));
    state.p_WB = Eigen::Vector3d(0.1 * to_seconds(state.t), 0.0, 0.0);
    state.R_WB = so3::exp(Eigen::Vector3d(0.0, 0.0, 0.2 * to_seconds(state.t)));
    state.v_WB = Eigen::Vector3d(0.1, 0.0, 0.0);
    state.w_WB = Eigen::Vector3d(0.0, 0.0, 0.2);
    motion.states.push_back(state);
  }
  return motion;
}

// theory 2.6: peaks (2.19, 1.72) under limits (2.0, 1.5): s_v = min(2/2.19, 1.5/1.72) = 0.872, T 10 -> 11.47,
// peaks (1.910, 1.500), displacement error 0. As printed: 0.914 and 1.574, and a displacement shrunk by s_v.
TEST(TimeScaling, GivesTheTheorysNumbers) {
  const Model model = two_hinges();
  const Motion motion = motion_of(model, 801, [](double t) {
    return Eigen::VectorXd(Eigen::Vector2d(2.19 * std::sin(t), 0.86 * std::sin(2.0 * t)));
  });
  TimeScalingOptions options;
  options.law = TimeLaw::Uniform;
  const TimeScaledMotion scaled = scale_time(motion, model, options);
  EXPECT_NEAR(scaled.report.scale, 0.872, 0.0005);
  EXPECT_NEAR(scaled.report.after, 11.47, 0.005);
  EXPECT_NEAR(scaled.report.stretch * scaled.report.scale, 1.0, 1e-15);
  EXPECT_EQ(scaled.report.joint, 1);
  ASSERT_EQ(scaled.report.fast.size(), 2U);
  EXPECT_NEAR(scaled.report.fast[0].peak, 2.19, 1e-3);
  EXPECT_NEAR(scaled.report.fast[1].peak, 1.72, 1e-3);
  EXPECT_EQ(scaled.report.fast[1].limit, 1.5);
  double peak[2] = {0.0, 0.0};
  for (const State& state : scaled.motion.states)
    for (int i = 0; i < 2; ++i) peak[i] = std::max(peak[i], std::abs(state.sdot[i]));
  EXPECT_NEAR(peak[0], 1.910, 0.001);
  EXPECT_NEAR(peak[1], 1.500, 0.001);
  EXPECT_LE(peak[1], 1.5);
  expect_same_path(motion, scaled.motion);
  for (const State& state : scaled.motion.states) {
    const double u = std::min(to_seconds(state.t) * scaled.report.scale, 10.0);
    EXPECT_NEAR(state.s[0], 2.19 * std::sin(u), 1e-6) << "q_f(t) = q(s_v t)";
    EXPECT_NEAR(state.p_WB.x(), 0.1 * u, 1e-9) << "the base goes along";
    EXPECT_NEAR(so3::log(state.R_WB).z(), 0.2 * u, 1e-8);
    if (u < 10.0) {
      EXPECT_NEAR(state.v_WB.x(), 0.1 * scaled.report.scale, 1e-9);
      EXPECT_NEAR(state.w_WB.z(), 0.2 * scaled.report.scale, 1e-12);
    }
  }
}

TEST(TimeScaling, WhatIsSlowEnoughKeepsItsFrames) {
  const Model model = two_hinges(50.0, 50.0);
  const Motion motion = random_motion(model, 300, 1.0, 5);
  for (const TimeLaw law : {TimeLaw::Uniform, TimeLaw::Optimal}) {
    TimeScalingOptions options;
    options.law = law;
    options.rest_at_ends = false;
    const TimeScaledMotion scaled = scale_time(motion, model, options);
    ASSERT_EQ(scaled.motion.states.size(), motion.states.size());
    EXPECT_NEAR(scaled.report.scale, 1.0, 1e-12);
    EXPECT_TRUE(scaled.report.fast.empty());
    for (std::size_t k = 0; k < motion.states.size(); ++k) {
      EXPECT_EQ(scaled.motion.states[k].s, motion.states[k].s);
      EXPECT_EQ(scaled.motion.states[k].t, motion.states[k].t);
      if (k < 3 || k + 3 >= motion.states.size()) continue;
      EXPECT_LT((scaled.motion.states[k].sdot - motion.states[k].sdot).norm(), 1e-2);
    }
  }
}

TEST(TimeScaling, RandomGesturesStayWithinAllLimitsAndOptimalIsNeverSlower) {
  const Model model = io::shipped_robot("olivia17");
  double shortest = 1.0;
  const int trials = test::scaled_numerical(60);
  for (int trial = 0; trial < trials; ++trial) {
    const auto seed = static_cast<std::uint64_t>(trial);
    const Motion motion =
        scale_range(random_motion(model, 60 + 7 * (trial % 60), 1.2, seed, trial % 4 != 0), model).motion;
    TimeScalingOptions options;
    options.law = TimeLaw::Uniform;
    options.max_acceleration = 3.0 + trial % 30;
    if (trial % 3 == 0) options.rate_hz = 30.0 + 10.0 * (trial % 20);
    const TimeScaledMotion uniform = scale_time(motion, model, options);
    options.law = TimeLaw::Optimal;
    const TimeScaledMotion optimal = scale_time(motion, model, options);
    const bool at_rest = trial % 4 != 0;
    EXPECT_TRUE(!at_rest || optimal.report.after <= uniform.report.after);
    shortest = std::min(shortest, optimal.report.after / uniform.report.after);
    for (const TimeScaledMotion* scaled : {&uniform, &optimal}) {
      expect_same_path(motion, scaled->motion);
      const Shares used = shares(scaled->motion, model, options, scaled == &optimal);
      EXPECT_LE(used.speed, 1.0 + kStamps);
      EXPECT_LE(used.reported_speed, 1.0);
      EXPECT_LE(used.acceleration, 1.0 + 1e-5) << trial;
      for (const State& state : scaled->motion.states) {
        ASSERT_TRUE(is_valid(state, model));
        for (int i = 0; i < model.dof(); ++i) {
          EXPECT_GE(state.s[i], model.lower()[i]);
          EXPECT_LE(state.s[i], model.upper()[i]);
        }
      }
    }
  }
  std::printf("time-optimal takes down to %.2f of the uniform time\n", shortest);
  EXPECT_LT(shortest, 0.9);
}

TEST(TimeScaling, ASwingThatEndsOnItsLimitIsCutBackOnceAlsoWhereRoundingAsksForMore) {
  // of 10,000 gestures the one whose curve, cut back on both sides of a sample at the limit, was outside by
  // rounding in both intervals; they then took turns without end
  constexpr std::uint64_t seed = 8106;
  const Model model = io::shipped_robot("olivia17");
  const Motion motion = scale_range(random_motion(model, 154, 1.26, seed, true), model).motion;
  const TimeScaledMotion scaled = scale_time(motion, model);
  EXPECT_GE(scaled.report.stretch, 1.0);
  for (const State& state : scaled.motion.states) {
    EXPECT_LE((model.lower() - state.s).maxCoeff(), 1e-15);
    EXPECT_LE((state.s - model.upper()).maxCoeff(), 1e-15);
  }
}

TEST(TimeScaling, OptimalSlowsDownOnlyWhereItMust) {
  // two equal swings of the first joint, the second of them three times as fast
  const Model model = two_hinges(2.0, 2.0);
  const auto ease = [](double u) {
    u = std::clamp(u, 0.0, 1.0);
    return u * u * u * (10.0 + u * (6.0 * u - 15.0));
  };
  const Motion motion = motion_of(model, 481, [&](double t) {
    return Eigen::VectorXd(Eigen::Vector2d(1.5 * ease((t - 0.2) / 2.4) - 1.5 * ease((t - 3.5) / 0.8), 0.0));
  });
  TimeScalingOptions options;
  options.law = TimeLaw::Uniform;
  options.max_acceleration = 12.0;
  const TimeScaledMotion uniform = scale_time(motion, model, options);
  options.law = TimeLaw::Optimal;
  const TimeScaledMotion optimal = scale_time(motion, model, options);
  EXPECT_GT(uniform.report.stretch, 1.7);
  EXPECT_LT(optimal.report.stretch, 1.2);
  EXPECT_NEAR(to_seconds(optimal.report.slowest_at), 3.9, 0.3);
  for (int k = 0; k < 200; ++k)
    EXPECT_NEAR(optimal.motion.states[at(k)].s[0], motion.states[at(k)].s[0], 1e-5)
        << "the slow swing keeps its pace";
}

TEST(TimeScaling, ASpikeOfOneFrameCostsTheOptimalPaceTheTimeOfTheSpikeAlone) {
  // 2 rad out and back within three frames, which ask for more than 40 times the limit; uniformly all of the
  // 6 s would be slowed down by that
  const Model model = two_hinges(2.0, 2.0);
  const Motion motion = motion_of(model, 481, [&](double t) {
    const bool spike = std::abs(t - 3.0) < 0.5 / kRate;
    return Eigen::VectorXd(Eigen::Vector2d(0.5 * std::sin(t), spike ? 2.0 : 0.0));
  });
  const TimeScaledMotion optimal = scale_time(motion, model);
  EXPECT_EQ(optimal.report.law, TimeLaw::Optimal) << "the default";
  EXPECT_GT(optimal.report.after, 6.0 + 4.0 / 2.0 - 0.1) << "4 rad at 2 rad/s";
  EXPECT_LT(optimal.report.stretch, 1.75) << "and what the curve swings over, and cells beside";
  EXPECT_EQ(optimal.report.joint, 1);
  EXPECT_NEAR(to_seconds(optimal.report.joint_at), 3.0, 2.0 / kRate);
  EXPECT_FALSE(optimal.report.by_acceleration);
  TimeScalingOptions options;
  options.law = TimeLaw::Uniform;
  const TimeScaledMotion uniform = scale_time(motion, model, options);
  EXPECT_GT(uniform.report.stretch, 40.0);
  EXPECT_EQ(uniform.report.joint, 1);
  EXPECT_NEAR(to_seconds(uniform.report.joint_at), 3.0, 2.0 / kRate);
}

TEST(TimeScaling, TheJointAtItsLimitForLongestIsNamedNotTheOneWithTheHighestPeak) {
  // the first joint is a little too fast for 5 s, the second much too fast for two frames
  const Model model = two_hinges(1.0, 1.0);
  const Motion motion = motion_of(model, 481, [&](double t) {
    const double step = std::clamp((t - 3.0) * kRate, 0.0, 1.0);
    return Eigen::VectorXd(Eigen::Vector2d(2.0 * t, 0.1 * step));
  });
  const TimeScaledMotion optimal = scale_time(motion, model);
  EXPECT_EQ(optimal.report.joint, 0);
  EXPECT_NEAR(optimal.report.stretch, 2.0, 0.05);
  TimeScalingOptions options;
  options.law = TimeLaw::Uniform;
  EXPECT_EQ(scale_time(motion, model, options).report.joint, 1);
}

TEST(TimeScaling, CoupledRowsHoldBetweenTheFramesToo) {
  // two joints that jump from corner to corner of what a sum and a difference allow, slowed down to see
  // between
  ModelSpec spec = two_hinges(1.0, 1.0).spec();
  spec.rows.push_back({"sum", {{"slow", 1.0}, {"fast", 1.0}}, -0.5, 0.5});
  spec.rows.push_back({"difference", {{"slow", 1.0}, {"fast", -2.0}}, -1.0, 0.8});
  const Model model(spec);
  std::mt19937_64 engine(4);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  Eigen::Vector2d q(0.0, 0.0);
  const Motion motion = motion_of(model, 120, [&](double) {
    Eigen::Vector2d next(uniform(engine), uniform(engine));
    for (const double bound : {(next.sum() > 0.0 ? 0.5 : -0.5) / next.sum(),
                               (next[0] - 2.0 * next[1] > 0.0 ? 0.8 : -1.0) / (next[0] - 2.0 * next[1])})
      if (bound < 1.0) next *= bound;
    q = uniform(engine) < 0.3 ? next : q + 0.01 * (next - q);
    return Eigen::VectorXd(q);
  });
  for (const TimeLaw law : {TimeLaw::Uniform, TimeLaw::Optimal}) {
    TimeScalingOptions options;
    options.law = law;
    const TimeScaledMotion scaled = scale_time(motion, model, options);
    EXPECT_GT(scaled.report.stretch, 3.0);
    double sum = 0.0, most = -1.0, least = 1.0;
    for (const State& state : scaled.motion.states) {
      sum = std::max(sum, std::abs(state.s.sum()));
      most = std::max(most, state.s[0] - 2.0 * state.s[1]);
      least = std::min(least, state.s[0] - 2.0 * state.s[1]);
    }
    EXPECT_LE(sum, 0.5 + 1e-8);
    EXPECT_LE(most, 0.8 + 1e-8);
    EXPECT_GE(least, -1.0 - 1e-8);
    EXPECT_LE(shares(scaled.motion, model, options, false).speed, 1.0 + kStamps);
  }
}

TEST(TimeScaling, AFasterOutputRateSeesTheSameLimits) {
  const Model model = two_hinges(1.0, 0.8);
  const Motion motion = random_motion(model, 300, 1.0, 8, true);
  TimeScalingOptions options;
  options.max_acceleration = 5.0;
  options.law = TimeLaw::Optimal;
  for (const double rate : {20.0, 80.0, 1000.0}) {
    options.rate_hz = rate;
    const TimeScaledMotion scaled = scale_time(motion, model, options);
    EXPECT_EQ(scaled.motion.rate_hz, rate);
    const Shares used = shares(scaled.motion, model, options, true);
    EXPECT_LE(used.speed, 1.0 + kStamps * rate / 80.0);
    EXPECT_LE(used.acceleration, 1.0 + 1e-9 * rate * rate * 4.0 / options.max_acceleration);
  }
}

TEST(TimeScaling, UnevenStampsAreNoTrouble) {
  const Model model = two_hinges();
  Motion motion = motion_of(
      model, 300, [](double t) { return Eigen::VectorXd(Eigen::Vector2d(2.0 * std::sin(1.7 * t), 0.0)); });
  std::mt19937_64 engine(1);
  std::vector<State> kept;
  for (std::size_t k = 0; k < motion.states.size(); ++k)
    if (k == 0 || k + 1 == motion.states.size() || engine() % 3 != 0) kept.push_back(motion.states[k]);
  motion.states = kept;
  TimeScalingOptions options;
  options.law = TimeLaw::Uniform;
  const TimeScaledMotion scaled = scale_time(motion, model, options);
  EXPECT_NEAR(scaled.report.scale, 2.0 / 3.4, 2e-3);
  EXPECT_LE(shares(scaled.motion, model, {}, false).speed, 1.0 + kStamps);
  expect_same_path(motion, scaled.motion);
}

TEST(TimeScaling, NoMotionAndFewFramesAreClear) {
  const Model model = two_hinges();
  for (const int frames : {0, 1, 2, 3}) {
    for (const TimeLaw law : {TimeLaw::Uniform, TimeLaw::Optimal}) {
      const Motion motion =
          motion_of(model, frames, [](double t) { return Eigen::VectorXd(Eigen::Vector2d(50.0 * t, 0.0)); });
      TimeScalingOptions options;
      options.law = law;
      options.max_acceleration = 10.0;
      const TimeScaledMotion scaled = scale_time(motion, model, options);
      if (frames > 1) {
        expect_same_path(motion, scaled.motion);
        EXPECT_LE(shares(scaled.motion, model, options, law == TimeLaw::Optimal).speed, 1.0 + kStamps);
        EXPECT_GT(scaled.report.stretch, 10.0);
      } else {
        EXPECT_EQ(scaled.motion.states.size(), at(frames));
        EXPECT_EQ(scaled.report.stretch, 1.0);
      }
    }
  }
  const Motion still =
      motion_of(model, 100, [](double) { return Eigen::VectorXd(Eigen::Vector2d(0.3, -0.2)); });
  EXPECT_EQ(scale_time(still, model).report.stretch, 1.0);
}

TEST(TimeScaling, RefusesWhatMakesNoSense) {
  const Model model = two_hinges();
  Motion motion = random_motion(model, 50, 1.0, 1);
  const auto with = [&](auto change) {
    TimeScalingOptions options;
    change(options);
    return scale_time(motion, model, options);
  };
  EXPECT_THROW(with([](auto& o) { o.speed_limit = 0.0; }), ConfigError);
  EXPECT_THROW(with([](auto& o) { o.max_acceleration = std::nan(""); }), ConfigError);
  EXPECT_THROW(with([](auto& o) { o.rest_speed = -1.0; }), ConfigError);
  EXPECT_THROW(with([](auto& o) { o.rate_hz = 0.0; }), ConfigError);
  EXPECT_THROW(with([](auto& o) { o.rate_hz = 1e9; }), ConfigError) << "more than a million frames";
  EXPECT_THROW(with([](auto& o) { o.rate_hz = 40'000.0; }), ConfigError) << "800 frames for each of 50";
  EXPECT_THROW(with([](auto& o) { o.rest_speed = kInfinity; }), ConfigError);
  motion.states[4].t = motion.states[3].t;
  EXPECT_THROW(with([](auto&) {}), ConfigError);
  motion = random_motion(model, 50, 1.0, 1);
  motion.states[7].s[1] = std::nan("");
  EXPECT_THROW(with([](auto&) {}), ModelError);
}

}  // namespace
}  // namespace panto
