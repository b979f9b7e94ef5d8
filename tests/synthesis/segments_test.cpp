#include "panto/synthesis/segments.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "panto/math/so3.hpp"
#include "panto/model/human.hpp"
#include "tests/support/test_data.hpp"

namespace panto {
namespace {

TEST(SegmentSample, HoldsTheForwardKinematicsOfEverySegment) {
  const Model human = human48();
  const State state = make_synthesis("walk", human).state(from_seconds(0.4));
  const SegmentSample sample = segment_sample(human, state);
  ASSERT_EQ(sample.segments.size(), 23u);
  EXPECT_EQ(sample.t, state.t);
  Kinematics kinematics(human);
  kinematics.update_with_velocities(state);
  for (std::size_t k = 0; k < 23; ++k) {
    const int link = human.link_index(human_segment_names()[k]);
    const SegmentMotion& segment = sample.segments[k];
    EXPECT_EQ(segment.R_WS, kinematics.R_WL(link));
    EXPECT_EQ(segment.p_WS, kinematics.p_WL(link));
    EXPECT_EQ(segment.w_WS, kinematics.w_WL(link));
    EXPECT_EQ(segment.v_WS, kinematics.v_WL(link));
    EXPECT_TRUE(segment.has_orientation && segment.has_position && segment.has_angular_velocity &&
                segment.has_linear_velocity);
  }
  EXPECT_EQ(sample.segments[HumanSegment::Pelvis].p_WS, state.p_WB);
}

TEST(MeasuredLinks, AreTheSegmentsOfAHumanAndAllLinksOfARobot) {
  EXPECT_EQ(measured_links(human66()), human_segment_names());
  ModelSpec spec;
  spec.name = "pair";
  spec.links = {{"base"}, {"tip"}};
  Joint joint;
  joint.name = "turn";
  joint.type = JointType::Revolute;
  joint.parent = "base";
  joint.child = "tip";
  spec.joints = {joint};
  EXPECT_EQ(measured_links(Model(spec)), (std::vector<std::string>{"base", "tip"}));
}

TEST(LinkSampler, RefusesAnUnknownLink) {
  const Model human = human66();
  EXPECT_THROW(LinkSampler(human, {"Pelvis", "Tail"}), ModelError);
}

TEST(Noise, HasTheStatedSpread) {
  const Model human = human66();
  const SegmentSample truth = segment_sample(human, make_synthesis("walk", human).state(0));
  Noise noise({.attitude_deg_per_axis = 1.0, .angular_velocity = 0.01, .position = 0.002, .seed = 5});
  Eigen::Vector3d attitude2 = Eigen::Vector3d::Zero(), mean = attitude2;
  double gyro2 = 0.0, position2 = 0.0;
  const int rounds = panto::test::scaled(400);
  for (int i = 0; i < rounds; ++i) {
    SegmentSample sample = truth;
    noise.add_to(sample);
    for (std::size_t k = 0; k < 23; ++k) {
      const Eigen::Vector3d e = so3::log(truth.segments[k].R_WS.transpose() * sample.segments[k].R_WS);
      attitude2 += e.cwiseAbs2();
      mean += e;
      gyro2 += (sample.segments[k].w_WS - truth.segments[k].w_WS).squaredNorm() / 3.0;
      position2 += (sample.segments[k].p_WS - truth.segments[k].p_WS).squaredNorm() / 3.0;
      EXPECT_EQ(sample.segments[k].v_WS, truth.segments[k].v_WS);
      EXPECT_TRUE(so3::is_rotation(sample.segments[k].R_WS, 1e-12));
    }
  }
  const double n = 23.0 * rounds, degree = std::numbers::pi / 180.0;
  for (int axis = 0; axis < 3; ++axis) {
    EXPECT_NEAR(std::sqrt(attitude2[axis] / n), degree, 0.03 * degree);
    EXPECT_NEAR(mean[axis] / n, 0.0, 4.0 * degree / std::sqrt(n));
  }
  EXPECT_NEAR(std::sqrt(gyro2 / n), 0.01, 0.0003);
  EXPECT_NEAR(std::sqrt(position2 / n), 0.002, 0.00006);
}

TEST(Noise, RefusesNegativeAndUndefinedLevels) {
  EXPECT_THROW(Noise({.attitude_deg_per_axis = -1.0}), ConfigError);
  EXPECT_THROW(Noise({.angular_velocity = std::numeric_limits<double>::quiet_NaN()}), ConfigError);
}

TEST(SyntheticSource, YieldsTheMotionFrameByFrame) {
  const Model human = human66();
  SyntheticSource source(make_synthesis("run", human), {.duration = 2.0, .rate_hz = 50.0});
  EXPECT_EQ(source.names(), human_segment_names());
  SegmentSample sample;
  int frames = 0;
  while (source.read(sample) == ReadStatus::Sample) {
    EXPECT_EQ(sample.t, frame_time(frames, 50.0));
    EXPECT_EQ(sample.segments[HumanSegment::Pelvis].p_WS, source.truth().p_WB);
    ++frames;
  }
  EXPECT_EQ(frames, 100);
  EXPECT_EQ(source.read(sample), ReadStatus::EndOfMotion);
  source.rewind();
  ASSERT_EQ(source.read(sample), ReadStatus::Sample);
  EXPECT_EQ(sample.t, 0);
}

TEST(SyntheticSource, GivesTheSameNoiseForTheSameSeed) {
  const Model human = human66();
  const auto last = [&](std::uint64_t seed) {
    SyntheticSource source(
        make_synthesis("walk", human),
        {.duration = 0.5, .rate_hz = 60.0, .noise = NoiseOptions{.seed = seed}, .links = {}});
    SegmentSample sample;
    while (source.read(sample) == ReadStatus::Sample) {
    }
    return sample.segments[HumanSegment::LeftHand].R_WS;
  };
  EXPECT_EQ(last(1), last(1));
  EXPECT_NE(last(1), last(2));
  EXPECT_NEAR(so3::distance(last(1), last(2)), 0.0, 0.15) << "noise, not another motion";
}

TEST(SyntheticSource, MeasuresOnlyTheLinksAskedFor) {
  const Model human = human48();
  SyntheticSource source(make_synthesis("walk", human),
                         {.noise = std::nullopt, .links = {"Head", "LeftFoot"}});
  SegmentSample sample;
  ASSERT_EQ(source.read(sample), ReadStatus::Sample);
  EXPECT_EQ(sample.segments.size(), 2u);
  EXPECT_THROW(SyntheticSource(make_synthesis("walk", human), {.duration = 0.0}), ConfigError);
}

}  // namespace
}  // namespace panto
