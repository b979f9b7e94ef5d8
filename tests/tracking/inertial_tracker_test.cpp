#include "panto/tracking/inertial_tracker.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "apps/support/allocation_count.hpp"
#include "panto/math/euler.hpp"
#include "panto/tracking/run.hpp"
#include "tests/support/swaying_leg.hpp"

namespace panto {
namespace {

using Eigen::Vector3d;

using test::Leg, test::leg_error;

TEST(InertialTracker, AnswersTheAnglesAndRatesOfEveryJointBetweenSensors) {
  Leg leg;
  InertialTracker tracker(leg.model, leg.setup, leg.sensors);
  State state = tracker.start_state();
  double worst = 0.0;
  for (int k = 0; k < 400; ++k) {
    const ImuSample sample = leg.at(k);
    ASSERT_EQ(tracker.step(sample, state), StepStatus::Solved);
    EXPECT_EQ(state.t, sample.t);
    if (k > 100) worst = std::max(worst, leg_error(leg, state));
  }
  // exact sensors without a bias; what is left is the lag of the process model
  EXPECT_LT(worst, 0.01);
  const int knee = leg.model.joint_index("jRightKnee_roty");
  EXPECT_NEAR(state.sdot[knee], leg.state.sdot[knee], 0.05);
  EXPECT_LT(so3::distance(state.R_WB, leg.state.R_WB), 0.01);
  EXPECT_LT(tracker.deviation()[knee], 0.05) << "measured on both sides";
  // nobody measures it: it is as near to rest as `sharing` says, 10 rad/s^2 (0.15 s)^2
  EXPECT_NEAR(tracker.deviation()[leg.model.joint_index("jLeftKnee_roty")], 0.225, 1e-6);
}

TEST(InertialTracker, DeviationsOfATripleAreThoseOfItsAngles) {
  Leg leg;
  InertialTracker tracker(leg.model, leg.setup, leg.sensors);
  State state = tracker.start_state();
  for (int k = 0; k < 150; ++k) ASSERT_EQ(tracker.step(leg.at(k), state), StepStatus::Solved);
  // the hip's angles as the rotation is disturbed behind it, by differences
  const int hip = leg.model.joint_index("jRightHip_rotx");
  const ChainState& chain = tracker.chain();
  Eigen::Matrix3d P;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) P(i, j) = chain.P(3 * (6 + hip + i), 3 * (6 + hip + j));
  const Vector3d angles = state.s.segment<3>(hip);
  const Eigen::Matrix3d R = euler::to_rotation(angles, euler::XYZ);
  Eigen::Matrix3d slope;
  for (int j = 0; j < 3; ++j) {
    const Eigen::Matrix3d turned = R * so3::exp(1e-6 * Vector3d::Unit(j));
    slope.col(j) = (euler::nearest(turned, euler::XYZ, angles) - angles) / 1e-6;
  }
  const Vector3d expected = (slope * P * slope.transpose()).diagonal().cwiseSqrt();
  EXPECT_LT((tracker.deviation().segment<3>(hip) - expected).cwiseAbs().maxCoeff(), 1e-4 * expected.norm());
}

TEST(InertialTracker, WhatCannotBeUsedLeavesTheStateAsItWas) {
  Leg leg;
  InertialTracker tracker(leg.model, leg.setup, leg.sensors);
  State state = tracker.start_state();
  ASSERT_EQ(tracker.step(leg.at(0), state), StepStatus::Solved);
  const std::uint64_t before = state_hash(state);
  EXPECT_EQ(tracker.step(leg.at(0), state), StepStatus::TimeNotAdvancing);
  ImuSample sample = leg.at(1);
  sample.imus[1].gyro.y() = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(tracker.step(sample, state), StepStatus::TargetNotFinite);
  sample.imus.pop_back();
  EXPECT_EQ(tracker.step(sample, state), StepStatus::SizeMismatch);
  sample.imus.assign(4, ImuReading{});
  EXPECT_EQ(tracker.step(sample, state), StepStatus::NoTarget);
  EXPECT_EQ(state_hash(state), before);
  EXPECT_EQ(tracker.step(leg.at(2), state), StepStatus::Solved) << "and it goes on";
}

TEST(InertialTracker, ASensorThatIsLostIsBridgedByTheOthers) {
  Leg leg;
  InertialTracker tracker(leg.model, leg.setup, leg.sensors);
  State state = tracker.start_state();
  for (int k = 0; k < 300; ++k) {
    ImuSample sample = leg.at(k);
    if (k >= 200 && k < 210) sample.imus[3] = ImuReading{};  // the thigh, 0.1 s
    ASSERT_EQ(tracker.step(sample, state), StepStatus::Solved);
    if (k <= 100) continue;
    EXPECT_LT(leg_error(leg, state), 0.03) << k;
  }
}

TEST(InertialTracker, AfterASilenceTheMotionIsFoundAgain) {
  Leg leg;
  InertialTracker tracker(leg.model, leg.setup, leg.sensors);
  State state = tracker.start_state();
  for (int k = 0; k < 200; ++k) ASSERT_EQ(tracker.step(leg.at(k), state), StepStatus::Solved);
  ASSERT_EQ(tracker.step(leg.at(400), state), StepStatus::Solved);
  EXPECT_TRUE(tracker.last_report().clock_gap);
  ASSERT_EQ(tracker.step(leg.at(401), state), StepStatus::Solved);
  EXPECT_FALSE(tracker.last_report().clock_gap);
  for (int k = 402; k < 550; ++k) ASSERT_EQ(tracker.step(leg.at(k), state), StepStatus::Solved);
  EXPECT_LT(leg_error(leg, state), 0.03);
}

TEST(InertialTracker, BeginsWhereTheSetupSays) {
  Leg leg;
  leg.setup.start_hinges = {{"jRightKnee_roty", 0.7}};
  leg.setup.R_WB = so3::about_axis(2, 0.4);
  const InertialTracker tracker(leg.model, leg.setup, leg.sensors);
  EXPECT_EQ(tracker.start_state().s[leg.model.joint_index("jRightKnee_roty")], 0.7);
  EXPECT_LT(so3::distance(tracker.start_state().R_WB, leg.setup.R_WB), 1e-12);
  leg.setup.start_slides = {{"jRightKnee_roty", 0.7}};
  EXPECT_THROW((void)InertialTracker(leg.model, leg.setup, leg.sensors), ModelError)
      << "a hinge has no metres";
}

TEST(InertialTracker, NamesASensorThatTheRecordingHasNot) {
  Leg leg;
  try {
    (void)InertialTracker(leg.model, leg.setup, {"pelvis", "thigh", "shanks"});
    FAIL() << "not refused";
  } catch (const ConfigError& error) {
    EXPECT_NE(std::string(error.what()).find("no sensor 'shank' in"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("did you mean 'shanks'?"), std::string::npos) << error.what();
  }
}

TEST(InertialTracker, StepsAllocateNothing) {
  if (!AllocationCount::available()) GTEST_SKIP() << "the sanitizer owns malloc";
  Leg leg;
  InertialTracker tracker(leg.model, leg.setup, leg.sensors);
  State state = tracker.start_state();
  const ImuSample first = leg.at(0), second = leg.at(1), late = leg.at(500);
  const AllocationCount allocations;
  EXPECT_EQ(tracker.step(first, state), StepStatus::Solved);
  EXPECT_EQ(tracker.step(second, state), StepStatus::Solved);
  EXPECT_EQ(tracker.step(late, state), StepStatus::Solved);
  EXPECT_EQ(allocations.value(), 0);
}

class Clip final : public Source<ImuSample> {
 public:
  explicit Clip(Leg& leg) : leg_(&leg) {}
  const std::vector<std::string>& names() const noexcept override { return leg_->sensors; }
  ReadStatus read(ImuSample& sample) noexcept override {
    if (next_ == 20) return ReadStatus::EndOfMotion;
    sample = leg_->at(next_++);
    return ReadStatus::Sample;
  }

 private:
  Leg* leg_;
  int next_ = 0;
};

TEST(InertialTracker, RunsInTheSameLoopAsSegments) {
  Leg leg;
  Clip clip(leg);
  InertialTracker tracker(leg.model, leg.setup, clip.names());
  ImuSample sample;
  State state = tracker.start_state();
  const Tally tally = run<ImuSample>({clip, tracker, {}, {}}, sample, state);
  EXPECT_EQ(tally.steps[static_cast<std::size_t>(StepStatus::Solved)], 20);
}

}  // namespace
}  // namespace panto
