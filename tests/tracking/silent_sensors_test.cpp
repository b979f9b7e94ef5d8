#include "panto/tracking/silent_sensors.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "panto/api/track_sensors.hpp"
#include "tests/support/refusals.hpp"
#include "tests/support/sensed_clips.hpp"
#include "tests/support/swaying_leg.hpp"

namespace panto {
namespace {

using test::Leg;

constexpr std::size_t kShank = 1, kThigh = 3;  // of Leg's sensors

struct Followed {
  Leg leg;
  InertialTracker tracker{leg.model, leg.setup, leg.sensors};
  State state = tracker.start_state();
  int k = 0;

  void until(int end, int silent = -1) {
    for (; k < end; ++k) {
      ImuSample sample = leg.at(k);
      if (silent >= 0) sample.imus[static_cast<std::size_t>(silent)] = {};
      ASSERT_EQ(tracker.step(sample, state), StepStatus::Solved);
    }
  }
  [[nodiscard]] Eigen::Index joint(const char* name) const { return leg.model.joint_index(name); }
  [[nodiscard]] bool held(const char* name) const {
    return tracker.held()[static_cast<std::size_t>(joint(name))] != 0;
  }
};

TEST(SilentSensors, AJointWhoseSensorEndsIsHeldAndAsUncertainAsItsRange) {
  Followed run;
  run.until(250);
  const Eigen::Index knee = run.joint("jRightKnee_roty");
  const double last = run.state.s[knee], rate = std::abs(run.state.sdot[knee]);
  ASSERT_GT(rate, 0.2) << "it moves when its sensor ends";
  run.until(290, kShank);
  EXPECT_FALSE(run.held("jRightKnee_roty")) << "a gap that the filter predicts over";
  run.until(1500, kShank);
  EXPECT_TRUE(run.held("jRightKnee_roty"));
  EXPECT_FALSE(run.held("jRightHip_roty")) << "the thigh still measures";
  EXPECT_LT(std::abs(run.state.sdot[knee]), 1e-3) << "it does not swing on";
  // on by its rate until it is silent and for the 0.1 s of coming to rest, and by the acceleration of 2.7
  // rad/s^2 that the filter lets last for 0.2 s
  EXPECT_LT(std::abs(run.state.s[knee] - last), (rate + 0.54) * (SilentSensors::kSilent + 0.11));
  const Joint& joint = run.leg.model.joint(static_cast<int>(knee));
  EXPECT_LE(run.tracker.deviation()[knee], (joint.upper - joint.lower) / std::sqrt(12.0) + 1e-9);
  EXPECT_GT(run.tracker.deviation()[knee], 0.3) << "but nobody knows it";
  EXPECT_LT(run.tracker.deviation()[run.joint("jRightHip_roty")], 0.05);
}

TEST(SilentSensors, AJointWhoseSensorComesBackIsFollowedAgain) {
  Followed run;
  run.until(250);
  run.until(600, kShank);
  EXPECT_TRUE(run.held("jRightKnee_roty"));
  run.until(800);
  EXPECT_FALSE(run.held("jRightKnee_roty"));
  EXPECT_LT(test::leg_error(run.leg, run.state), 0.05);
}

TEST(SilentSensors, HingesOfWhichOnlyTheSumIsMeasuredAreHeldToo) {
  Followed run;
  run.until(250);
  run.until(400, kThigh);
  EXPECT_TRUE(run.held("jRightHip_roty")) << "six hinges between pelvis and shank";
  EXPECT_TRUE(run.held("jRightKnee_roty"));
  run.until(1500, kThigh);
  for (const char* name : {"jRightHip_roty", "jRightKnee_roty"})
    EXPECT_LT(run.tracker.deviation()[run.joint(name)], 1.9) << "not hundreds of degrees";
}

TEST(SilentSensors, ACheckpointRemembersWhoIsSilent) {
  Followed run;
  run.until(250);
  run.until(600, kShank);
  const InertialTracker::Checkpoint kept = run.tracker.checkpoint(run.state);
  Followed other;
  other.tracker.resume(kept);
  other.state = kept.state;
  other.k = 600;
  run.until(620, kShank);
  other.until(620, kShank);
  EXPECT_EQ(state_hash(run.state), state_hash(other.state));
  EXPECT_TRUE(other.held("jRightKnee_roty"));
}

TEST(SilentSensors, ARunSaysWhichSensorEndsAndLeavesTheRestOfItsJointOut) {
  const test::SwayingPerson person = test::swaying_legs();
  ImuClip clip = test::clip_of(person);
  const auto shank = static_cast<std::size_t>(std::find(clip.sensors.begin(), clip.sensors.end(), "shank") -
                                              clip.sensors.begin());
  ASSERT_LT(shank, clip.sensors.size());
  const std::size_t half = clip.times.size() / 2;
  for (std::size_t k = half; k < clip.times.size(); ++k) clip.at(k, shank) = {};
  for (const bool smooth : {false, true}) {
    const SensorTrackResult result = track(clip, person.model, test::setup_of(person.setup),
                                           {.smooth = smooth, .deviations = true, .keep_motion = true});
    EXPECT_EQ(result.motion.states.size(), clip.times.size()) << "the recording does not end with one sensor";
    EXPECT_TRUE(std::any_of(result.notes.begin(), result.notes.end(), [](const std::string& note) {
      return test::names(note, "sensor 'shank' measures nothing after ");
    }));
    const auto knee = std::find_if(result.held_joints.begin(), result.held_joints.end(),
                                   [](const auto& held) { return held.first == "jRightKnee_roty"; });
    ASSERT_NE(knee, result.held_joints.end());
    const double silent = to_seconds(clip.times.back() - clip.times[half - 1]);
    EXPECT_NEAR(knee->second, silent - SilentSensors::kSilent, 0.03);
    ASSERT_TRUE(result.known.max_deg);
    // what is held does not count; of the second and a half that does, the filter predicts half a second: 104
    // deg sqrt(1/3)
    EXPECT_LT(*result.known.max_deg, 60.0);
    EXPECT_TRUE(std::any_of(result.found.sensors.begin(), result.found.sensors.end(), [&](const auto& s) {
      return s.name == "shank" && s.to_s < to_seconds(clip.times[half]);
    }));
  }
}

}  // namespace
}  // namespace panto
