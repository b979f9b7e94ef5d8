#include "panto/api/live_person.hpp"

#include <gtest/gtest.h>

#include <numbers>

#include "panto/api/live_retargeter.hpp"
#include "panto/api/live_sensors.hpp"
#include "panto/api/suit_motion.hpp"
#include "panto/base/error.hpp"
#include "panto/io/open_imu.hpp"
#include "panto/math/so3.hpp"
#include "tests/support/bundled_walk.hpp"
#include "tests/support/refusals.hpp"
#include "tests/support/sensed_clips.hpp"

namespace panto {
namespace {

// the bundled walk as a suit streams it
std::vector<SegmentSample> walk(double rate_hz, SubjectDimensions* subject = nullptr) {
  SuitMotion suit = suit_motion(test::bundled_walk(), rate_hz);
  if (subject != nullptr) *subject = suit.subject;
  std::vector<SegmentSample> samples;
  for (SegmentSample sample; suit.next(sample);) samples.push_back(sample);
  return samples;
}

TEST(LivePassage, PassesSamplesOn) {
  const LiveFollower<SegmentSample> follower = live_passage({"Pelvis", "Head"});
  LiveFrame frame = follower.sized;
  SegmentSample sample;
  sample.segments.resize(2);
  sample.segments[1].p_WS.z() = 1.5;
  sample.t = 7;
  const LiveStep step = follower.step(sample, frame);
  EXPECT_TRUE(step.used && step.ready && !step.returning && frame.valid);
  EXPECT_EQ(frame.person.t, 7);
  EXPECT_EQ(frame.person.segments[1].p_WS.z(), 1.5);
}

TEST(LiveHuman, FollowsTheSegmentsAndShowsItsOwn) {
  SubjectDimensions subject;
  const std::vector<SegmentSample> samples = walk(60.0, &subject);
  const LiveFollower<SegmentSample> follower = live_human(human66(subject), human_segment_names());
  LiveFrame frame = follower.sized;
  double worst = 0.0;
  for (const SegmentSample& sample : samples) {
    const LiveStep step = follower.step(sample, frame);
    ASSERT_TRUE(step.used && step.ready);
    ASSERT_EQ(frame.person.t, sample.t);
    for (std::size_t i = 0; i < sample.segments.size(); ++i)
      worst = std::max(worst, so3::distance(sample.segments[i].R_WS, frame.person.segments[i].R_WS));
  }
  EXPECT_LT(worst, 0.03) << "every joint has three axes: what rates change within a step of 17 ms is left";
}

TEST(LiveRobot, GivesTheBitsOfTheRetargeterAndDrainsTheLastStates) {
  SubjectDimensions subject;
  const std::vector<SegmentSample> samples = walk(60.0, &subject);
  const Robot robot = test::shipped_robot("unitree_g1");
  const LiveFollower<SegmentSample> follower = live_robot(robot, human_segment_names(), subject);
  LiveRetargeter alone(robot, human_segment_names(), subject);
  LiveFrame frame = follower.sized;
  State state = alone.rest_state();
  std::size_t states = 0;
  for (const SegmentSample& sample : samples) {
    const LiveStep step = follower.step(sample, frame);
    const bool ready = advanced(alone.step(sample, state));
    EXPECT_TRUE(step.used) << "also while its state waits";
    ASSERT_EQ(step.ready, ready);
    if (!ready) continue;
    ++states;
    ASSERT_EQ(state_hash(frame.state), state_hash(state));
  }
  EXPECT_LT(states, samples.size()) << "a look-ahead of 0.1 s keeps some back";
  while (follower.drain(frame)) ++states;
  EXPECT_EQ(states, samples.size());
}

// The walk, turned by a quarter and elsewhere; re-aligned after a second where asked.
std::vector<State> followed_walk(const Robot& robot, bool elsewhere) {
  SubjectDimensions subject;
  std::vector<SegmentSample> samples = walk(60.0, &subject);
  RetargetOptions options;
  options.feet = FeetMode::Soft;
  const LiveFollower<SegmentSample> follower = live_robot(robot, human_segment_names(), subject, options);
  const Eigen::Matrix3d turn = so3::about_axis(2, 0.5 * std::numbers::pi);
  LiveFrame frame = follower.sized;
  std::vector<State> states;
  for (SegmentSample& sample : samples) {
    for (SegmentMotion& segment : sample.segments) {
      if (!elsewhere) break;
      segment.R_WS = turn * segment.R_WS;
      segment.p_WS = turn * segment.p_WS + Eigen::Vector3d(3.0, -2.0, 0.0);
      segment.v_WS = turn * segment.v_WS;
      segment.w_WS = turn * segment.w_WS;
    }
    if (&sample == &samples[60]) follower.align();
    if (follower.step(sample, frame).ready) states.push_back(frame.state);
  }
  return states;
}

TEST(LiveRobot, RealignedGoesOnAsIfThePersonHadAlwaysBeenThere) {
  const Robot robot = test::shipped_robot("unitree_g1");
  const std::vector<State> here = followed_walk(robot, false), elsewhere = followed_walk(robot, true);
  ASSERT_EQ(here.size(), elsewhere.size());
  ASSERT_GT(here.size(), 200U);
  EXPECT_GT((here[58].p_WB - elsewhere[58].p_WB).norm(), 1.0) << "before, they are in two places";
  for (std::size_t k = here.size() - 60; k < here.size(); ++k) {  // it is led there within its limits
    ASSERT_LT((here[k].p_WB - elsewhere[k].p_WB).norm(), 1e-3) << k << " [m]";
    ASSERT_LT(so3::distance(here[k].R_WB, elsewhere[k].R_WB), 1e-3) << k << " [rad]";
    ASSERT_LT((here[k].s - elsewhere[k].s).cwiseAbs().maxCoeff(), 1e-3) << k << " [rad]";
  }
}

// the fastest joint by the time of arrival, in parts of its limit, where stamps run `times` as fast
double fastest(const LiveFollower<SegmentSample>& follower, const Model& model,
               const std::vector<SegmentSample>& samples, double times, double* seconds) {
  LiveFrame frame = follower.sized;
  Eigen::VectorXd before;
  Time at = 0;
  double worst = 0.0;
  for (std::size_t k = 0; k < samples.size(); ++k) {
    const Time begun = k == 0 ? 1'000'000'000 : 2'200'000'000;  // the second of a backlog is over
    frame.arrival = begun + static_cast<Time>(static_cast<double>(samples[k].t) / times);
    if (!follower.step(samples[k], frame).ready) continue;
    // the burst of 0.25 s that is allowed lies in the first second
    if (before.size() > 0 && samples[k].t > from_seconds(1.0))
      for (Eigen::Index i = 0; i < before.size(); ++i)
        worst = std::max(worst, std::abs(frame.state.s[i] - before[i]) / to_seconds(frame.arrival - at) /
                                    model.velocity_limit()[i]);
    before = frame.state.s;
    at = frame.arrival;
  }
  *seconds = to_seconds(frame.state.t - samples.front().t);
  return worst;
}

TEST(LiveRobot, KeepsItsSpeedLimitsInRealTimeWhereStampsRunAway) {
  SubjectDimensions subject;
  const std::vector<SegmentSample> samples = walk(60.0, &subject);
  const double span = to_seconds(samples.back().t - samples.front().t);
  const Robot robot = test::shipped_robot("unitree_g1");
  RetargetOptions options;
  options.feet = FeetMode::Soft;
  double seconds = 0.0;
  for (const double times : {1.0, 1.04, 18.0}) {
    const auto follower = live_robot(robot, human_segment_names(), subject, options);
    const double worst = fastest(follower, robot.model, samples, times, &seconds);
    if (times < 1.05) {
      EXPECT_NEAR(seconds, span, 1e-9) << "a clock that is a little fast keeps its stamps";
    } else {
      EXPECT_LT(worst, 1.06) << "5 % of the clock's tolerance";
      EXPECT_LT(seconds, 1.06 * span / times + 0.27) << "a burst of 0.25 s and the first step";
    }
  }
}

TEST(LiveSensors, OfAHumanShowThePersonWhomARobotFollows) {
  static const test::SwayingPerson person = test::swaying_legs();
  const SensorSetup setup = test::setup_of(person.setup);
  const Robot robot = test::shipped_robot("unitree_g1");
  RetargetOptions options;
  options.feet = FeetMode::Soft;
  const auto body = live_sensors(person.model, setup, person.sensors);
  const auto whole =
      live_sensed_robot(person.model, setup, person.sensors, scaled_subject(1.75), robot, options);
  const auto follower = live_robot(robot, human_segment_names(), scaled_subject(1.75), options);
  LiveFrame worn = body.sized, direct = whole.sized, two_steps = follower.sized;
  ASSERT_EQ(worn.person.segments.size(), 23U);
  for (const ImuSample& sample : person.samples) {
    const bool came = body.step(sample, worn).ready;
    ASSERT_EQ(whole.step(sample, direct).ready, came);
    if (!came) continue;
    ASSERT_TRUE(follower.step(worn.person, two_steps).ready);
    ASSERT_EQ(state_hash(direct.state), state_hash(two_steps.state));
    ASSERT_EQ(direct.person.segments[5].R_WS, worn.person.segments[5].R_WS);
  }
}

TEST(LiveSensors, OfAnArmShowNoPerson) {
  const std::string data = PANTO_EXAMPLES "/data/";
  const ImuClip clip = io::open_imu(data + "arm_imu.csv");
  std::vector<std::string> notes;
  const Model arm = io::open_model(data + "arm.toml", scaled_subject(1.75), notes);
  const auto follower = live_sensors(arm, io::read_sensors(data + "arm_sensors.toml"), clip.sensors);
  EXPECT_TRUE(follower.sized.person.segments.empty());
  LiveFrame frame = follower.sized;
  ImuRecording recording(clip);
  ImuSample sample;
  int ready = 0;
  while (recording.read(sample) == ReadStatus::Sample) ready += follower.step(sample, frame).ready ? 1 : 0;
  EXPECT_GT(ready, 300);
  EXPECT_TRUE(frame.person.segments.empty());
}

TEST(SuitMotion, OfASkeletonHasAllSegmentsWithRatesAtAnyRate) {
  for (const double rate : {30.0, 60.0, 240.0}) {
    const std::vector<SegmentSample> samples = walk(rate);
    ASSERT_GT(samples.size(), 10U);
    for (std::size_t k = 0; k < samples.size(); ++k) {
      ASSERT_EQ(samples[k].segments.size(), 23U);
      EXPECT_NEAR(to_seconds(samples[k].t - samples[0].t), static_cast<double>(k) / rate, 1e-6);
      for (const SegmentMotion& segment : samples[k].segments)
        EXPECT_TRUE(segment.has_orientation && segment.has_position && segment.has_angular_velocity);
    }
  }
}

TEST(SuitMotion, BeginsAgainWithTheSameSamples) {
  SuitMotion suit = suit_motion(test::bundled_walk());
  std::vector<SegmentSample> first;
  for (SegmentSample sample; suit.next(sample);) first.push_back(sample);
  suit.rewind();
  SegmentSample sample;
  for (std::size_t k = 0; suit.next(sample); ++k) {
    ASSERT_LT(k, first.size());
    EXPECT_EQ(sample.t, first[k].t);
    EXPECT_EQ(sample.segments[7].R_WS, first[k].segments[7].R_WS);
  }
}

TEST(SuitMotion, RefusesARateThatNoSuitHas) {
  EXPECT_THROW((void)suit_motion(test::bundled_walk(), 0.5), ConfigError);
  EXPECT_THROW((void)suit_motion(test::bundled_walk(), std::nan("")), ConfigError);
  EXPECT_THROW((void)suit_motion(test::bundled_walk(), 2000.0), ConfigError);
}

}  // namespace
}  // namespace panto
