#include "panto/motion/smoothing.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <numbers>
#include <random>

#include "panto/base/error.hpp"
#include "panto/base/index.hpp"
#include "panto/evaluation/metrics.hpp"
#include "panto/math/so3.hpp"
#include "tests/support/refusals.hpp"
#include "tests/support/test_data.hpp"
#include "tests/support/tracked_motion.hpp"

namespace panto {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

constexpr double kRate = 100.0;

/// A chain of hinges on a free base, each within +-1 rad and 8 rad/s; the first two share a row, the third
/// mimics the fourth.
Model chain(int joints) {
  ModelSpec spec;
  spec.name = "chain";
  spec.links.emplace_back();
  spec.links.back().name = "base";
  for (int i = 0; i < joints; ++i) {
    const std::string parent = spec.links.back().name;
    spec.links.emplace_back();
    spec.links.back().name = "link" + std::to_string(i);
    Joint joint;
    joint.name = "joint" + std::to_string(i);
    joint.type = JointType::Revolute;
    joint.parent = parent;
    joint.child = spec.links.back().name;
    joint.axis = Vector3d::Unit(i % 3);
    joint.p_PJ = Vector3d(0.0, 0.0, 0.2);
    joint.lower = -1.0;
    joint.upper = 1.0;
    joint.velocity = 8.0;
    spec.joints.push_back(joint);
  }
  if (joints >= 4) {
    spec.rows.push_back({"sum", {{"joint0", 1.0}, {"joint1", 1.0}}, -0.9, 0.9});
    spec.mimics.push_back({"joint2", "joint3", 0.5, 0.1});
  }
  return Model(std::move(spec));
}

/// Frames whose joints are what `value` says.
template <typename Value>
Motion motion_of(const Model& model, int frames, const Value& value) {
  Motion motion{model.name(), model.joint_names(), kRate, {}};
  for (int k = 0; k < frames; ++k) {
    State state = rest_state(model);
    state.t = frame_time(k, kRate);
    for (int i = 0; i < model.dof(); ++i) state.s[i] = value(k, i);
    motion.states.push_back(state);
  }
  return motion;
}

/// Largest first, second and third differences of a joint, as rates.
std::array<double, 3> largest_rates(const Motion& motion, int joint) {
  std::array<double, 3> largest{};
  const auto s = [&](std::size_t k) { return motion.states[k].s[joint]; };
  for (std::size_t k = 0; k + 1 < motion.states.size(); ++k) {
    largest[0] = std::max(largest[0], std::abs(s(k + 1) - s(k)) * kRate);
    if (k + 2 < motion.states.size())
      largest[1] = std::max(largest[1], std::abs(s(k + 2) - 2.0 * s(k + 1) + s(k)) * kRate * kRate);
    if (k + 3 < motion.states.size())
      largest[2] = std::max(
          largest[2], std::abs(s(k + 3) - 3.0 * s(k + 2) + 3.0 * s(k + 1) - s(k)) * kRate * kRate * kRate);
  }
  return largest;
}

void expect_within(const Motion& motion, const Model& model, const SmoothingOptions& options) {
  for (const State& state : motion.states) {
    EXPECT_TRUE(is_valid(state, model));
    for (int i = 0; i < model.dof(); ++i) {
      EXPECT_GE(state.s[i], model.lower()[i] - 1e-9);
      EXPECT_LE(state.s[i], model.upper()[i] + 1e-9);
      EXPECT_LE(std::abs(state.sdot[i]), model.velocity_limit()[i] + 1e-9)
          << "velocities as they are written";
    }
  }
  for (int i = 0; i < model.dof(); ++i) {
    const auto rates = largest_rates(motion, i);
    EXPECT_LE(rates[0], model.velocity_limit()[i] * (1.0 + 1e-9));
    EXPECT_LE(rates[1], options.max_acceleration * (1.0 + 1e-9));
    EXPECT_LE(rates[2], options.max_jerk * (1.0 + 1e-9));
  }
}

/// A walk of joints that obeys the model's positions, speeds and rows but nothing else.
Motion random_motion(const Model& model, int frames, std::uint64_t seed) {
  std::mt19937_64 engine(seed);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  Eigen::VectorXd s = Eigen::VectorXd::Zero(model.dof());
  std::vector<Eigen::VectorXd> rows;
  for (int k = 0; k < frames; ++k) {
    for (int i = 0; i < model.dof(); ++i)
      s[i] = std::clamp(s[i] + 0.999 * 8.0 / kRate * (uniform(engine) > 0.0 ? 1.0 : -1.0), -1.0, 1.0);
    if (model.rows().size() == 2) {
      // the first two within their row, the third as it must: halved, its speed is too
      s[0] = std::clamp(s[0], -0.45, 0.45);
      s[1] = std::clamp(s[1], -0.45, 0.45);
      s[2] = 0.5 * s[3] + 0.1;
    }
    rows.push_back(s);
  }
  return motion_of(model, frames, [&](int k, int i) { return rows[at(k)][i]; });
}

TEST(Smoothing, KeepsEveryLimitOfRandomMotionsAndTheirEnds) {
  std::mt19937_64 engine(5);
  std::uniform_real_distribution<double> uniform(0.0, 1.0);
  const Model model = chain(6);
  for (int trial = 0; trial < test::scaled_numerical(60); ++trial) {
    const int frames = 4 + static_cast<int>(400.0 * uniform(engine));
    const Motion motion = random_motion(model, frames, static_cast<std::uint64_t>(trial));
    SmoothingOptions options;
    options.cutoff_hz = trial % 3 == 0 ? kInfinity : 2.0 + 20.0 * uniform(engine);
    options.max_acceleration = 5.0 + 300.0 * uniform(engine);
    options.max_jerk = 100.0 + 2e4 * uniform(engine);
    const SmoothedMotion smooth = smooth_motion(motion, model, options);
    expect_within(smooth.motion, model, options);
    EXPECT_TRUE(smooth.report.notes.empty());
    EXPECT_EQ(smooth.report.clamped, 0);
    EXPECT_EQ(smooth.motion.states.front().s, motion.states.front().s);
    EXPECT_EQ(smooth.motion.states.back().s, motion.states.back().s);
    for (const State& state : smooth.motion.states) {
      EXPECT_LE(std::abs(state.s[0] + state.s[1]), 0.9 + 1e-9);
      EXPECT_NEAR(state.s[2], 0.5 * state.s[3] + 0.1, 1e-12) << "equalities too";
    }
  }
}

TEST(Smoothing, NoSpeedGrowsAndNothingLeavesTheRangeItHad) {
  const Model model = chain(3);
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    const Motion motion = random_motion(model, 300, seed);
    const SmoothedMotion smooth = smooth_motion(motion, model);
    for (int i = 0; i < model.dof(); ++i) {
      EXPECT_LE(largest_rates(smooth.motion, i)[0], largest_rates(motion, i)[0] + 1e-9);
      double before = 0.0, after = 0.0;
      for (std::size_t k = 0; k < motion.states.size(); ++k) {
        before = std::max(before, motion.states[k].s[i]);
        after = std::max(after, smooth.motion.states[k].s[i]);
      }
      EXPECT_LE(after, before + 1e-12);
    }
  }
}

TEST(Smoothing, HalvesThePowerAtTheCutOffWithoutAnyDelay) {
  const Model model = chain(1);
  SmoothingOptions options;
  options.max_acceleration = options.max_jerk = kInfinity;
  for (const double cutoff : {3.0, 6.0, 10.0}) {
    options.cutoff_hz = cutoff;
    for (const double hz : {0.5, cutoff}) {
      const Motion motion = motion_of(
          model, 1000, [&](int k, int) { return 0.1 * std::sin(2.0 * std::numbers::pi * hz * k / kRate); });
      const SmoothedMotion smooth = smooth_motion(motion, model, options);
      double with = 0.0, across = 0.0, power = 0.0;
      for (int k = 300; k < 700; ++k) {
        const double phase = 2.0 * std::numbers::pi * hz * k / kRate;
        with += smooth.motion.states[at(k)].s[0] * 0.1 * std::sin(phase);
        across += smooth.motion.states[at(k)].s[0] * 0.1 * std::cos(phase);
        power += 0.01 * std::sin(phase) * std::sin(phase);
      }
      const double expected = std::pow(0.5, 0.5 * std::pow(hz / cutoff, 2));  // a Gaussian's
      EXPECT_NEAR(with / power, expected, 0.015) << hz << " of " << cutoff << " Hz";
      EXPECT_NEAR(across / power, 0.0, 1e-6) << "no phase";
    }
  }
}

TEST(Smoothing, WithNothingToDoItDoesNothing) {
  const Model model = chain(4);
  const Motion motion = motion_of(model, 300, [](int k, int i) { return 0.3 * std::sin(0.02 * k + i); });
  SmoothingOptions options;
  options.cutoff_hz = kInfinity;
  const SmoothedMotion smooth = smooth_motion(motion, model, options);
  for (std::size_t k = 0; k < motion.states.size(); ++k) {
    EXPECT_EQ(smooth.motion.states[k].s, motion.states[k].s);
    EXPECT_EQ(smooth.motion.states[k].p_WB, motion.states[k].p_WB);
  }
  EXPECT_EQ(smooth.report.joint_change_max_rad, 0.0);
  EXPECT_EQ(smooth.report.limited_share, 0.0);
  EXPECT_NEAR(smooth.motion.states[150].sdot[0], 0.3 * 0.02 * kRate * std::cos(3.0), 1e-4);
}

TEST(Smoothing, ASpikeIsSmoothedWhereItIsAndTheRestIsLeft) {
  const Model model = chain(1);
  SmoothingOptions options;
  options.cutoff_hz = kInfinity;
  const Motion motion =
      motion_of(model, 1000, [](int k, int) { return 0.3 * std::sin(0.02 * k) + (k == 500 ? 0.05 : 0.0); });
  const SmoothedMotion smooth = smooth_motion(motion, model, options);
  expect_within(smooth.motion, model, options);
  int touched = 0;
  for (int k = 0; k < 1000; ++k) {
    const double change = std::abs(smooth.motion.states[at(k)].s[0] - motion.states[at(k)].s[0]);
    if (change == 0.0) continue;
    ++touched;
    EXPECT_NEAR(k, 500, 60);
    EXPECT_LT(change, k == 500 ? 0.05 : 0.03);
  }
  EXPECT_GT(touched, 3);
  EXPECT_NEAR(smooth.report.limited_share, touched / 1000.0, 0.01);
  EXPECT_GT(smooth.report.joint_change_max_rad, 0.02) << "the spike went";
}

TEST(Smoothing, TogetherTheBaseTakesTheStepsOfTheJointsSoThatWhatStoodStillDoes) {
  const Model model = chain(3);
  // a joint jumps, and the base with it, so that their sum is still
  Motion motion = motion_of(model, 100, [](int k, int i) { return i == 0 && k > 50 ? 0.4 : 0.0; });
  for (State& state : motion.states) state.p_WB.x() = -state.s[0];
  SmoothingOptions options;
  options.cutoff_hz = kInfinity;
  for (const bool together : {false, true}) {
    options.together = together;
    const Motion smooth = smooth_motion(motion, model, options).motion;
    double moved = 0.0, fastest = 0.0;
    for (std::size_t k = 1; k + 1 < smooth.states.size(); ++k) {
      const auto s = [&](std::size_t n) { return smooth.states[n].s[0]; };
      fastest = std::max(fastest, std::abs(s(k + 1) - 2.0 * s(k) + s(k - 1)) * kRate * kRate);
      moved = std::max(moved, std::abs(smooth.states[k].p_WB.x() + s(k)));
    }
    EXPECT_LT(fastest, 200.0 * (1.0 + 1e-6));
    EXPECT_EQ(moved < 1e-12, together) << moved;
  }
}

TEST(Smoothing, AJointOutsideItsLimitsIsMovedOntoThem) {
  const Model model = chain(1);
  const Motion motion = motion_of(model, 200, [](int k, int) { return k >= 90 && k < 110 ? 1.2 : 0.9; });
  const SmoothedMotion smooth = smooth_motion(motion, model);
  EXPECT_EQ(smooth.report.clamped, 20);
  expect_within(smooth.motion, model, SmoothingOptions{});
}

TEST(Smoothing, EndsThatAreTooFarApartAreNoted) {
  const Model model = chain(1);
  const Motion motion = motion_of(model, 11, [](int k, int) { return k < 5 ? -0.9 : 0.9; });
  const SmoothedMotion smooth = smooth_motion(motion, model);
  ASSERT_EQ(smooth.report.notes.size(), 1U);
  EXPECT_NE(smooth.report.notes[0].find("joint0 needs more than its speed limit from frame 0 to 10: 18.00"),
            std::string::npos)
      << smooth.report.notes[0];
  EXPECT_LE(largest_rates(smooth.motion, 0)[1], 200.0 * (1.0 + 1e-9)) << "the other limits hold";
}

TEST(Smoothing, TheBaseTurnsOnAsItDidAndLosesItsNoise) {
  const Model model = chain(1);
  std::mt19937_64 engine(3);
  std::normal_distribution<double> noise(0.0, 0.01);
  Motion motion = motion_of(model, 400, [](int, int) { return 0.0; });
  std::vector<Matrix3d> truth;
  for (std::size_t k = 0; k < motion.states.size(); ++k) {
    const double t = to_seconds(motion.states[k].t);
    truth.push_back(so3::exp(Vector3d(0.3, -0.4, 2.0) * t));
    motion.states[k].R_WB = truth.back() * so3::exp(Vector3d(noise(engine), noise(engine), noise(engine)));
    motion.states[k].p_WB = Vector3d(t, noise(engine), noise(engine));
  }
  SmoothingOptions options;
  options.cutoff_hz = 3.0;
  const SmoothedMotion smooth = smooth_motion(motion, model, options);
  double before = 0.0, after = 0.0;
  for (std::size_t k = 50; k < 350; ++k) {
    before += std::pow(so3::distance(truth[k], motion.states[k].R_WB), 2);
    after += std::pow(so3::distance(truth[k], smooth.motion.states[k].R_WB), 2);
    EXPECT_TRUE(is_valid(smooth.motion.states[k], model));
    EXPECT_NEAR(smooth.motion.states[k].v_WB.x(), 1.0, 0.05);
    EXPECT_NEAR(smooth.motion.states[k].w_WB.z(), 2.0, 0.3);
  }
  EXPECT_LT(after, 0.15 * before);
  EXPECT_GT(smooth.report.base_turn_rms_rad, 0.01);
  EXPECT_GT(smooth.report.base_change_rms_m, 0.01);
  options.base = false;
  EXPECT_EQ(smooth_motion(motion, model, options).report.base_change_max_m, 0.0);
}

TEST(Smoothing, NothingGoesAcrossACut) {
  const Model model = chain(1);
  const Motion motion = motion_of(model, 200, [](int k, int) { return k < 100 ? -0.8 : 0.8; });
  SmoothingOptions options;
  options.cuts = {100};
  const SmoothedMotion smooth = smooth_motion(motion, model, options);
  for (std::size_t k = 0; k < 200; ++k) {
    EXPECT_NEAR(smooth.motion.states[k].s[0], motion.states[k].s[0], 1e-15);
    EXPECT_NEAR(smooth.motion.states[k].sdot[0], 0.0, 1e-12);
  }
  EXPECT_TRUE(smooth.report.notes.empty());
}

TEST(Smoothing, ShortAndEmptyMotionsAreNoTrouble) {
  const Model model = chain(4);
  for (const int frames : {0, 1, 2, 3}) {
    const Motion motion = motion_of(model, frames, [](int k, int i) { return i == 2 ? 0.1 : 0.001 * k; });
    EXPECT_EQ(smooth_motion(motion, model).motion.states.size(), at(frames));
  }
}

TEST(Smoothing, RefusesWhatMakesNoSense) {
  const Model model = chain(1);
  Motion motion = motion_of(model, 50, [](int, int) { return 0.0; });
  const auto with = [&](auto change) {
    SmoothingOptions options;
    change(options);
    return smooth_motion(motion, model, options);
  };
  EXPECT_THROW(with([](auto& o) { o.cutoff_hz = 0.0; }), ConfigError);
  EXPECT_THROW(with([](auto& o) { o.max_jerk = -1.0; }), ConfigError);
  EXPECT_THROW(with([](auto& o) { o.max_acceleration = std::nan(""); }), ConfigError);
  EXPECT_THROW(with([](auto& o) { o.cuts = {50}; }), ConfigError);
  // a wrong frame time must not take hours: the low-pass takes as many steps as its width in frames squared
  Motion fast = motion;
  for (const Time step : {Time{100'000}, Time{1'000}, Time{10}}) {
    for (std::size_t k = 0; k < fast.states.size(); ++k) fast.states[k].t = step * static_cast<Time>(k);
    EXPECT_THROW((void)smooth_motion(fast, model, {}), ConfigError) << step << " ns";
  }
  motion.states[7].s[0] = std::nan("");
  EXPECT_THROW(with([](auto&) {}), ModelError);
  motion.states[7].s[0] = 0.0;
  motion.states[7].t += 1'000'000;
  EXPECT_THROW(with([](auto&) {}), ConfigError);
}

TEST(Smoothing, ARecordedWalkKeepsItsShapeAndLosesItsJerk) {
  PANTO_NEED_DATA("bvh/cmu/007_01.bvh");
  const auto file = io::open_recording(test::data_file("bvh/cmu/007_01.bvh"));
  const Model model = human48(*file->info().subject);
  DynamicalOptions tracking;
  tracking.velocity = VelocitySource::Differenced;
  SegmentTracker tracker(model, file->info().attachments, tracking, file->names());
  State state = tracker.rest_state();
  Motion motion{model.name(), model.joint_names(), file->info().rate_hz, {}};
  for (SegmentSample sample; file->read(sample) == ReadStatus::Sample;) {
    ASSERT_TRUE(usable(tracker.step(sample, state)));
    motion.states.push_back(state);
  }
  const SmoothedMotion smooth = smooth_motion(motion, model);
  JointJerk before(model), after(model);
  LimitViolations violations(model);
  for (const State& s : motion.states) before.add(s);
  for (const State& s : smooth.motion.states) {
    after.add(s);
    violations.add(s);
  }
  std::printf(
      "007_01 on human48: jerk %.0f -> %.0f rad/s^3; joints moved by %.2f deg rms, %.1f at most; base "
      "%.1f mm; limits smoothed %.1f %% further\n",
      *before.rms(), *after.rms(), smooth.report.joint_change_rms_rad / test::kDegree,
      smooth.report.joint_change_max_rad / test::kDegree, 1e3 * smooth.report.base_change_rms_m,
      100.0 * smooth.report.limited_share);
  EXPECT_EQ(violations.count(), 0);
  EXPECT_LT(*after.rms(), 0.5 * *before.rms());
  EXPECT_LT(smooth.report.joint_change_rms_rad, 1.0 * test::kDegree);
  EXPECT_LT(smooth.report.base_change_rms_m, 0.002);
  EXPECT_TRUE(smooth.report.notes.empty());
}

TEST(Smoothing, NamesTheFrameThatIsMissing) {
  Motion motion;
  motion.states.assign(9, rest_state(human66()));
  for (std::size_t k = 0; k < 9; ++k)
    motion.states[k].t = frame_time(static_cast<int>(k < 5 ? k : k + 1), 60.0);
  const std::string refusal = test::refusal_of([&] { (void)smooth_motion(motion, human66(), {}); });
  EXPECT_TRUE(test::names(refusal, "not evenly spaced at frame 5;")) << refusal;
}

}  // namespace
}  // namespace panto
