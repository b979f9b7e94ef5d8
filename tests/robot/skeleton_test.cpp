#include "panto/robot/skeleton.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "panto/base/index.hpp"
#include "panto/math/so3.hpp"
#include "panto/model/human.hpp"
#include "panto/synthesis/segments.hpp"
#include "panto/synthesis/synthesis.hpp"
#include "tests/support/random_model.hpp"

namespace panto::robot {
namespace {

using enum HumanSegment::Index;
using enum BodyPart::Index;

using Eigen::Matrix3d;
using Eigen::Vector3d;

// A robot that is a human: what it should do is then known exactly.
Map human_map() { return {"human", mvn_attachments(), {}, {}}; }

const SegmentMotion& of(const SegmentSample& sample, int segment) { return sample.segments[at(segment)]; }

double lowest_sole(const Skeleton& skeleton, const SegmentSample& sample) {
  double lowest = kInfinity;
  for (const auto& [side, foot] : {std::pair{0, RightFoot}, std::pair{1, LeftFoot}}) {
    for (const Vector3d& point : skeleton.sole(side))
      lowest = std::min(lowest, (of(sample, foot).p_WS + of(sample, foot).R_WS * point).z());
  }
  return lowest;
}

// seven postures of the walk
std::vector<State> postures(const Model& model, const char* motion) {
  const Synthesis synthesis = make_synthesis(motion, model);
  std::vector<State> states;
  for (const double t : {0.0, 0.11, 0.37, 0.52, 0.8, 1.3, 2.9})
    states.push_back(synthesis.state(from_seconds(t)));
  return states;
}

TEST(Robot, PutsALinkWhereASmallerBodyInThePersonsPostureHasIt) {
  const SubjectDimensions tall = scaled_subject(1.9), small = scaled_subject(1.1);
  const Model person = human66(tall), robot = human66(small);
  SkeletonOptions options;
  options.keep_hands = false;
  Skeleton skeleton(robot, human_map(), tall, human_segment_names(), options);
  EXPECT_NEAR(skeleton.scale(), 1.1 / 1.9, 1e-12);
  for (const char* motion : {"walk", "run", "tpose"}) {
    for (const State& state : postures(person, motion)) {
      const SegmentSample expected = segment_sample(robot, state);
      SegmentSample posed;
      skeleton.pose(segment_sample(person, state), posed);
      const Vector3d shift = of(posed, Pelvis).p_WS - of(expected, Pelvis).p_WS;
      for (int i = 0; i < kHumanSegmentCount; ++i) {
        ASSERT_TRUE(of(posed, i).has_position && of(posed, i).has_orientation) << i;
        EXPECT_EQ(of(posed, i).R_WS, of(expected, i).R_WS);
        EXPECT_LT((of(posed, i).p_WS - of(expected, i).p_WS - shift).norm(), 1e-12)
            << motion << ", " << kHumanSegmentNames[at(i)];
      }
    }
  }
}

TEST(Robot, StandsOnTheFloorWhenThePersonDoesAndJumpsAsHighInItsScale) {
  const SubjectDimensions tall = scaled_subject(1.9);
  const Model person = human66(tall), robot = human66(scaled_subject(1.1));
  SkeletonOptions options;
  options.floor = 0.37;
  Skeleton skeleton(robot, human_map(), tall, human_segment_names(), options);
  for (const double height : {0.0, 0.25}) {
    for (State state : postures(person, "walk")) {
      SegmentSample seen = segment_sample(person, state), posed;
      double lowest = kInfinity;
      for (const auto& [foot, toe] : {std::pair{RightFoot, RightToe}, std::pair{LeftFoot, LeftToe}}) {
        const Vector3d ball = tall.origin[at(toe)];
        for (const double ahead : {-0.35 * ball.x(), ball.x()})
          lowest = std::min(lowest,
                            (of(seen, foot).p_WS + of(seen, foot).R_WS * Vector3d(ahead, 0.0, ball.z())).z());
      }
      for (SegmentMotion& m : seen.segments) m.p_WS.z() += options.floor + height - lowest;
      skeleton.pose(seen, posed);
      EXPECT_NEAR(lowest_sole(skeleton, posed), skeleton.scale() * height, 1e-12);
      EXPECT_NEAR(of(posed, Pelvis).p_WS.x(), skeleton.scale() * of(seen, Pelvis).p_WS.x(), 1e-12);
    }
  }
}

TEST(Robot, HandsThatMeetOnThePersonMeetOnTheRobot) {
  const SubjectDimensions tall = scaled_subject(1.8);
  const Model person = human66(tall), robot = human66(scaled_subject(1.2));
  Skeleton skeleton(robot, human_map(), tall, human_segment_names());
  SegmentSample seen = segment_sample(person, rest_state(person)), posed, apart;
  const Vector3d middle =
      0.5 * (of(seen, RightHand).p_WS + of(seen, LeftHand).p_WS) + Vector3d(0.3, 0.0, -0.1);
  for (const double distance : {0.04, 0.10, 0.15}) {
    seen.segments[RightHand].p_WS = middle - Vector3d(0.0, 0.5 * distance, 0.0);
    seen.segments[LeftHand].p_WS = middle + Vector3d(0.0, 0.5 * distance, 0.0);
    skeleton.pose(seen, posed);
    EXPECT_NEAR((of(posed, LeftHand).p_WS - of(posed, RightHand).p_WS).norm(), distance, 1e-12);
  }
  // beyond `hands_apart` nothing is changed
  SkeletonOptions off;
  off.keep_hands = false;
  Skeleton plain(robot, human_map(), tall, human_segment_names(), off);
  seen.segments[LeftHand].p_WS = seen.segments[RightHand].p_WS + Vector3d(0.0, 0.46, 0.0);
  skeleton.pose(seen, posed);
  plain.pose(seen, apart);
  for (const int hand : {RightHand, LeftHand}) EXPECT_EQ(of(posed, hand).p_WS, of(apart, hand).p_WS);
}

TEST(Robot, HandsThatMeetWeighMoreTheNearerTheyAre) {
  const Model person = human66();
  Skeleton skeleton(person, human_map(), scaled_subject(1.75), human_segment_names());
  SegmentSample seen = segment_sample(person, rest_state(person)), posed;
  const Vector3d middle =
      0.5 * (of(seen, RightHand).p_WS + of(seen, LeftHand).p_WS) + Vector3d(0.5, 0.0, 0.0);
  double before = 1.0;
  for (const double distance : {0.05, 0.15, 0.2, 0.3, 0.4, 0.45, 0.6}) {
    seen.segments[RightHand].p_WS = middle - Vector3d(0.0, 0.5 * distance, 0.0);
    seen.segments[LeftHand].p_WS = middle + Vector3d(0.0, 0.5 * distance, 0.0);
    skeleton.pose(seen, posed);
    const double touch = of(posed, LeftHand).touch;
    EXPECT_EQ(of(posed, RightHand).touch, touch);
    EXPECT_NEAR(touch, nearness(distance, 0.15, 0.36), 1e-12);
    EXPECT_LE(touch, before);
    before = touch;
    for (const int other : {Pelvis, Head, LeftForeArm, LeftFoot}) EXPECT_EQ(of(posed, other).touch, 0.0);
  }
  EXPECT_EQ(before, 0.0);
}

// A hand on the person's hip belongs on the robot's, wherever its own arm would lead it.
TEST(Robot, AHandOnTheHipOrTheHeadIsThereOnARobotOfOtherProportions) {
  const SubjectDimensions tall = scaled_subject(1.8);
  SubjectDimensions stocky = scaled_subject(1.2);
  for (const int segment : {RightForeArm, RightHand, LeftForeArm, LeftHand}) stocky.origin[segment] *= 1.4;
  const Model person = human66(tall), robot = human66(stocky);
  SkeletonOptions options;
  options.keep_body = true;
  Skeleton skeleton(robot, human_map(), tall, human_segment_names(), options);
  const SegmentSample rest = segment_sample(person, rest_state(person));
  const double scale = 1.2 / 1.8;
  SegmentSample seen = rest, posed;
  seen.segments[RightHand].p_WS = of(rest, RightUpperLeg).p_WS + Vector3d(0.0, -0.11, 0.03);
  seen.segments[LeftHand].p_WS = of(rest, Head).p_WS + tall.end[Head] + Vector3d(0.02, 0.0, 0.1);
  skeleton.pose(seen, posed);
  EXPECT_EQ(of(posed, RightHand).touch, 1.0);
  EXPECT_EQ(of(posed, LeftHand).touch, 1.0);
  EXPECT_EQ(skeleton.touches()[0].part, PelvisPart);
  EXPECT_EQ(skeleton.touches()[1].part, HeadPart);
  const Vector3d hip = of(posed, RightHand).p_WS - of(posed, RightUpperLeg).p_WS;
  EXPECT_LT((hip - scale * Vector3d(0.0, -0.11, 0.03)).norm(), 1e-9);
  const Vector3d head = of(posed, LeftHand).p_WS - of(posed, Head).p_WS;
  EXPECT_LT((head - scale * (tall.end[Head] + Vector3d(0.02, 0.0, 0.1))).norm(), 1e-9);
  // without it the longer arms lead elsewhere, and the touch is still known
  Skeleton plain(robot, human_map(), tall, human_segment_names());
  plain.pose(seen, posed);
  EXPECT_EQ(of(posed, RightHand).touch, 0.0);
  EXPECT_EQ(plain.touches()[0].part, PelvisPart);
  EXPECT_GT((of(posed, RightHand).p_WS - of(posed, RightUpperLeg).p_WS - hip).norm(), 0.1);
}

TEST(Robot, ARobotWithAFixedBaseIgnoresWhereThePersonTurnsOrWalks) {
  const Model person = human66();
  ModelSpec spec = person.spec();
  spec.floating_base = false;
  const Model robot(spec);
  Skeleton skeleton(robot, human_map(), scaled_subject(1.75), human_segment_names());
  const State state = postures(person, "walk")[2];
  State turned = state;
  const Matrix3d R = so3::exp(Vector3d(0.2, -0.1, 2.0));
  turned.R_WB = R * state.R_WB;
  turned.p_WB = R * state.p_WB + Vector3d(3.0, -2.0, 0.1);
  turned.w_WB = R * state.w_WB;
  turned.v_WB = R * state.v_WB;
  SegmentSample here, there;
  skeleton.pose(segment_sample(person, state), here);
  skeleton.pose(segment_sample(person, turned), there);
  for (int i = 0; i < kHumanSegmentCount; ++i) {
    EXPECT_LT((of(here, i).R_WS - of(there, i).R_WS).norm(), 1e-12);
    EXPECT_LT((of(here, i).p_WS - of(there, i).p_WS).norm(), 1e-12);
    EXPECT_LT((of(here, i).w_WS - of(there, i).w_WS).norm(), 1e-11);
  }
  EXPECT_LT((of(here, Pelvis).R_WS - Matrix3d::Identity()).norm(), 1e-15);
}

TEST(Robot, WhatIsNotMeasuredIsNotInventedAndWhatHangsOnItHasNoPlace) {
  const Model person = human66();
  Skeleton skeleton(person, human_map(), scaled_subject(1.75), human_segment_names());
  SegmentSample seen = segment_sample(person, rest_state(person)), posed;
  seen.segments[RightForeArm].has_orientation = false;
  skeleton.pose(seen, posed);
  EXPECT_FALSE(of(posed, RightForeArm).has_orientation);
  EXPECT_FALSE(of(posed, RightForeArm).has_position);
  EXPECT_TRUE(of(posed, RightHand).has_orientation);
  EXPECT_FALSE(of(posed, RightHand).has_position);
  EXPECT_TRUE(of(posed, LeftHand).has_position);
}

TEST(Robot, TakesRecordingsThatLackSegments) {
  const Model person = human66();
  const std::vector<std::string> few{"Pelvis", "T8", "RightUpperArm", "RightForeArm"};
  Skeleton skeleton(person, human_map(), scaled_subject(1.75), few);
  EXPECT_EQ(skeleton.link_of(LeftFoot), -1);
  LinkSampler sampler(person, few);
  SegmentSample seen, posed;
  sampler.sample(rest_state(person), seen);
  skeleton.pose(seen, posed);
  ASSERT_EQ(posed.segments.size(), 4U);
  for (std::size_t i = 1; i < 4; ++i) {
    const Vector3d expected = seen.segments[i].p_WS - seen.segments[0].p_WS,
                   found = posed.segments[i].p_WS - posed.segments[0].p_WS;
    EXPECT_LT((expected - found).norm(), 1e-12);
  }
}

TEST(Robot, RefusesSegmentsThatNoHumanHasAndOptionsOutOfRange) {
  const Model person = human66();
  EXPECT_THROW(Skeleton(person, human_map(), scaled_subject(1.75), {"Pelvis", "Tail"}), ConfigError);
  SkeletonOptions options;
  options.hands_near = 0.5;
  EXPECT_THROW(Skeleton(person, human_map(), scaled_subject(1.75), human_segment_names(), options),
               ConfigError);
  options = {};
  options.body.near[HeadPart] = 0.0;
  EXPECT_THROW(Skeleton(person, human_map(), scaled_subject(1.75), human_segment_names(), options),
               ConfigError);
}

}  // namespace
}  // namespace panto::robot
