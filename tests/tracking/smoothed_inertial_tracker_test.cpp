#include "panto/tracking/smoothed_inertial_tracker.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "panto/base/index.hpp"
#include "tests/support/random_model.hpp"
#include "tests/support/swaying_leg.hpp"

namespace panto {
namespace {

using test::Leg, test::leg_error;

RecordedImuSamples recorded(const std::vector<ImuSample>& samples) {
  return {samples.size(), [&samples](std::size_t i, ImuSample& sample) { sample = samples[i]; }};
}

// samples `first` to before `end`, with noise that is not drawn anew
std::vector<ImuSample> sway(Leg& leg, int first, int end, double noise = 0.0) {
  std::vector<ImuSample> samples;
  for (int k = first; k < end; ++k) {
    samples.push_back(leg.at(k));
    test::Random random(static_cast<std::uint64_t>(k) + 1);
    for (ImuReading& reading : samples.back().imus) {
      reading.gyro += test::random_vector(random, 0.005 * noise);
      reading.acc += test::random_vector(random, 0.1 * noise);
    }
  }
  return samples;
}

struct Answers {
  std::vector<StepStatus> statuses;
  std::vector<State> states;
  std::vector<Eigen::VectorXd> deviations;
};

template <typename Any>
Answers answers(Any& tracker, const std::vector<ImuSample>& samples, State state) {
  Answers result;
  for (const ImuSample& sample : samples) {
    result.statuses.push_back(tracker.step(sample, state));
    result.states.push_back(state);
    result.deviations.push_back(tracker.deviation());
  }
  return result;
}

Answers filtered(const Leg& leg, const std::vector<ImuSample>& samples) {
  InertialTracker tracker(leg.model, leg.setup, leg.sensors);
  return answers(tracker, samples, tracker.start_state());
}

struct Smoothed : Answers {
  SmoothingCounts counts;
};

Smoothed smoothed(const Leg& leg, const std::vector<ImuSample>& samples,
                  const InertialSmoothingOptions& options = {}) {
  InertialTracker tracker(leg.model, leg.setup, leg.sensors);
  SmoothedInertialTracker smoother(tracker, recorded(samples), options);
  return {answers(smoother, samples, tracker.start_state()), smoother.counts()};
}

void expect_same_bits(const Answers& a, const Answers& b) {
  ASSERT_EQ(a.statuses, b.statuses);
  for (std::size_t k = 0; k < a.states.size(); ++k) {
    ASSERT_EQ(state_hash(a.states[k]), state_hash(b.states[k])) << k;
    ASSERT_EQ(a.deviations[k], b.deviations[k]) << k;
  }
}

void expect_finite(const Answers& answers) {
  for (const State& state : answers.states)
    ASSERT_TRUE(state.s.allFinite() && state.sdot.allFinite() && state.R_WB.allFinite() &&
                state.p_WB.allFinite());
}

TEST(SmoothedInertialTracker, IsNearerToTheTruthThanTheFilter) {
  Leg leg;
  const std::vector<ImuSample> samples = sway(leg, 0, 300, 1.0);
  const Answers before = filtered(leg, samples);
  const Smoothed after = smoothed(leg, samples, {.deviations = true});
  EXPECT_EQ(after.counts.smoothed, 300);
  EXPECT_EQ(after.counts.kept + after.counts.kept_deviation, 0);
  double error = 0.0, error_filtered = 0.0;
  for (int k = 100; k < 290; ++k) {
    (void)leg.at(k);
    error += std::pow(leg_error(leg, after.states[at(k)]), 2);
    error_filtered += std::pow(leg_error(leg, before.states[at(k)]), 2);
  }
  std::printf("leg: %.5f rad smoothed, %.5f filtered\n", std::sqrt(error / 190.0),
              std::sqrt(error_filtered / 190.0));
  EXPECT_LT(std::sqrt(error), 0.5 * std::sqrt(error_filtered));
  const int knee = leg.model.joint_index("jRightKnee_roty");
  EXPECT_LT(after.deviations[150][knee], 0.8 * before.deviations[150][knee]);
  EXPECT_EQ(after.deviations[299], before.deviations[299]) << "nothing comes after the last sample";
  EXPECT_EQ(after.states[299].s, before.states[299].s);
}

TEST(SmoothedInertialTracker, HasTheSameBitsWhateverTheStretchAndEveryTime) {
  Leg leg;
  std::vector<ImuSample> samples = sway(leg, 0, 60, 1.0);
  for (ImuSample& late : sway(leg, 300, 340, 1.0)) samples.push_back(late);  // after a silence
  samples[20].imus.assign(4, ImuReading{});
  const Smoothed once = smoothed(leg, samples, {.deviations = true});
  EXPECT_EQ(once.counts.parts, 2);
  for (const std::size_t stretch : {1, 7, 33, 1000}) {
    SCOPED_TRACE(stretch);
    expect_same_bits(smoothed(leg, samples, {.deviations = true, .stretch = stretch}), once);
  }
  expect_same_bits(smoothed(leg, samples, {.deviations = true}), once);
  InertialTracker tracker(leg.model, leg.setup, leg.sensors);
  EXPECT_THROW(SmoothedInertialTracker(tracker, recorded(samples), {.stretch = 0}), ConfigError);
  State state = tracker.start_state();
  ASSERT_EQ(tracker.step(samples[0], state), StepStatus::Solved);
  EXPECT_THROW(SmoothedInertialTracker(tracker, recorded(samples)), ConfigError) << "it has begun";
}

TEST(SmoothedInertialTracker, JointsAreTheSameWithAndWithoutDeviations) {
  Leg leg;
  const std::vector<ImuSample> samples = sway(leg, 0, 50, 1.0);
  const Smoothed with = smoothed(leg, samples, {.deviations = true}), without = smoothed(leg, samples);
  for (std::size_t k = 0; k < samples.size(); ++k) {
    EXPECT_EQ(state_hash(with.states[k]), state_hash(without.states[k]));
    EXPECT_EQ(without.deviations[k].norm(), 0.0);
  }
}

TEST(SmoothedInertialTracker, SmoothsThePartsAroundASilenceSeparately) {
  Leg leg;
  const std::vector<ImuSample> first = sway(leg, 0, 60, 1.0);
  std::vector<ImuSample> both = first;
  for (ImuSample& sample : sway(leg, 300, 360, 1.0)) both.push_back(sample);
  Smoothed whole = smoothed(leg, both, {.deviations = true});
  EXPECT_EQ(whole.counts.parts, 2);
  expect_finite(whole);
  whole.statuses.resize(60);
  expect_same_bits(smoothed(leg, first, {.deviations = true}), whole);
}

// a gap that is bridged; the filter is lost in it, the smoother knows both ends
TEST(SmoothedInertialTracker, AGapIsBridgedFromBothSides) {
  Leg leg;
  std::vector<ImuSample> samples = sway(leg, 0, 300);
  for (std::size_t k = 150; k < 180; ++k) {  // 0.3 s without the thigh
    samples[k].imus[3] = {};
  }
  const Answers before = filtered(leg, samples);
  const Smoothed after = smoothed(leg, samples);
  double worst = 0.0, worst_filtered = 0.0;
  for (int k = 150; k < 185; ++k) {
    (void)leg.at(k);
    worst = std::max(worst, leg_error(leg, after.states[at(k)]));
    worst_filtered = std::max(worst_filtered, leg_error(leg, before.states[at(k)]));
  }
  std::printf("gap: %.5f rad smoothed, %.5f filtered\n", worst, worst_filtered);
  EXPECT_LT(worst, 0.6 * worst_filtered);
}

TEST(SmoothedInertialTracker, WhatTheFilterRefusesIsRefused) {
  Leg leg;
  std::vector<ImuSample> samples = sway(leg, 0, 60, 1.0);
  samples[10].imus[1].gyro.y() = std::numeric_limits<double>::quiet_NaN();
  samples[20].t = samples[19].t;
  samples[30].imus.assign(4, ImuReading{});
  samples[40].imus.pop_back();
  const Smoothed after = smoothed(leg, samples);
  const Answers before = filtered(leg, samples);
  EXPECT_EQ(after.statuses, before.statuses);
  EXPECT_EQ(after.statuses[10], StepStatus::TargetNotFinite);
  EXPECT_EQ(after.statuses[20], StepStatus::TimeNotAdvancing);
  EXPECT_EQ(after.statuses[30], StepStatus::NoTarget);
  EXPECT_EQ(after.statuses[40], StepStatus::SizeMismatch);
  EXPECT_EQ(after.counts.smoothed, 56);
  expect_finite(after);
  EXPECT_EQ(state_hash(after.states[10]), state_hash(after.states[9])) << "the state is left as it was";
}

TEST(SmoothedInertialTracker, OneSampleIsAsFilteredAndNoneIsNone) {
  Leg leg;
  const std::vector<ImuSample> one = sway(leg, 0, 1), none;
  const Smoothed after = smoothed(leg, one, {.deviations = true});
  const Answers before = filtered(leg, one);
  expect_same_bits(after, before);
  InertialTracker tracker(leg.model, leg.setup, leg.sensors);
  SmoothedInertialTracker empty(tracker, recorded(none));
  State state = tracker.start_state();
  EXPECT_EQ(empty.step(one[0], state), StepStatus::NoTarget);
}

TEST(SmoothedInertialTracker, AnotherSampleThanTheNextIsNotAnswered) {
  Leg leg;
  const std::vector<ImuSample> samples = sway(leg, 0, 3);
  InertialTracker tracker(leg.model, leg.setup, leg.sensors);
  SmoothedInertialTracker smoother(tracker, recorded(samples));
  State state = tracker.start_state();
  EXPECT_EQ(smoother.step(samples[1], state), StepStatus::NoTarget);
  for (const ImuSample& sample : samples) EXPECT_EQ(smoother.step(sample, state), StepStatus::Solved);
  EXPECT_EQ(smoother.step(samples[2], state), StepStatus::NoTarget);
  State other;
  EXPECT_EQ(smoother.step(samples[2], other), StepStatus::SizeMismatch);
}

// the heading is only seen after half a second; then it is known from the first sample on
class AHeadingThatIsWrongAtTheStart : public testing::TestWithParam<double> {};

TEST_P(AHeadingThatIsWrongAtTheStart, IsMendedFromTheFirstSampleOn) {
  Leg leg;
  const double off = GetParam() * std::numbers::pi / 180.0;
  leg.setup.R_WB = so3::about_axis(2, off);
  leg.setup.filter.start[0] = 1.5;
  leg.setup.filter.magnetic = MagneticUse::Heading;
  leg.setup.filter.field_settles = 0.3;
  const std::vector<ImuSample> samples = sway(leg, 0, 200);
  const Answers before = filtered(leg, samples);
  const Smoothed after = smoothed(leg, samples, {.deviations = true});
  expect_finite(after);
  (void)leg.at(0);
  EXPECT_GT(so3::distance(before.states[0].R_WB, leg.state.R_WB), 0.8 * off);
  for (const int k : {0, 10, 40, 100}) {
    (void)leg.at(k);
    EXPECT_LT(so3::distance(after.states[at(k)].R_WB, leg.state.R_WB), 0.1) << k;
  }
}

INSTANTIATE_TEST_SUITE_P(SmoothedInertialTracker, AHeadingThatIsWrongAtTheStart,
                         testing::Values(30.0, 90.0, 150.0, 179.9));

TEST(SmoothedInertialTracker, WithoutMagnetometersAndWithADeadSensorEverythingIsFinite) {
  Leg leg;
  leg.setup.filter.magnetic = MagneticUse::Off;
  std::vector<ImuSample> samples = sway(leg, 0, 200, 1.0);
  for (std::size_t k = 50; k < samples.size(); ++k) samples[k].imus[1] = {};  // the shank dies
  const Smoothed after = smoothed(leg, samples, {.deviations = true});
  expect_finite(after);
  EXPECT_EQ(after.counts.kept + after.counts.kept_deviation, 0);
  const Answers before = filtered(leg, samples);
  for (std::size_t k = 0; k < samples.size(); ++k) {
    ASSERT_TRUE(after.deviations[k].allFinite());
    // no joint is known less well than before; triples read theirs at other angles
    for (const char* joint : {"jRightHip_roty", "jRightKnee_roty"}) {
      const int i = leg.model.joint_index(joint);
      ASSERT_LT(after.deviations[k][i], 1.05 * before.deviations[k][i]) << k;
    }
  }
}

TEST(SmoothedInertialTracker, JointsStayInsideTheirLimits) {
  ModelSpec spec;
  spec.floating_base = false;
  for (const char* name : {"room", "door"}) spec.links.emplace_back().name = name;
  Joint hinge;
  hinge.name = "hinge", hinge.type = JointType::Revolute, hinge.parent = "room", hinge.child = "door";
  hinge.lower = -0.4, hinge.upper = 0.4;
  spec.joints = {hinge};
  const Model arm{spec};
  ChainLayout layout(arm);
  InertialSetup setup;
  setup.mounts = {{"imu", "door"}};
  setup.filter.mounting = 0.0;
  ImuModel truth(layout, setup.mounts, {}, setup.surroundings);
  State state = rest_state(arm);
  StateAcceleration acceleration;
  acceleration.sddot = Eigen::VectorXd::Zero(1);
  std::vector<ImuSample> samples;
  for (int k = 0; k < 200; ++k) {
    const double t = 0.01 * k, w = 4.0;  // up to 0.45 rad, beyond the limit
    state.s[0] = 0.225 * (1.0 - std::cos(w * t));
    state.sdot[0] = 0.225 * w * std::sin(w * t);
    acceleration.sddot[0] = 0.225 * w * w * std::cos(w * t);
    truth.update(layout.motion(state, acceleration));
    samples.push_back(
        {frame_time(k, 100.0),
         {{truth.imu(0).y.head<3>(), truth.imu(0).y.segment<3>(3), {0.0, 0.0, 0.0}, true, true, false}}});
  }
  InertialTracker tracker(arm, setup, {"imu"});
  SmoothedInertialTracker smoother(tracker, recorded(samples));
  State now = tracker.start_state();
  double most = 0.0;
  for (const ImuSample& sample : samples) {
    ASSERT_EQ(smoother.step(sample, now), StepStatus::Solved);
    most = std::max(most, now.s[0]);
  }
  EXPECT_EQ(most, 0.4);
}

}  // namespace
}  // namespace panto
