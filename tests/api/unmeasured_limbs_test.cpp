// Arms and legs that nothing measures: where they are, and what they count in.

#include <gtest/gtest.h>

#include <cmath>

#include "panto/api/retarget.hpp"
#include "panto/api/track.hpp"
#include "panto/math/degrees.hpp"
#include "panto/model/kinematics.hpp"
#include "panto/report/report.hpp"
#include "tests/support/bundled_walk.hpp"
#include "tests/support/partial_recording.hpp"

namespace panto {
namespace {

using test::bundled_walk;
using test::PartialRecording;
using test::shipped_robot;

const std::vector<std::string> kArms{"Arm", "Hand", "Shoulder"}, kLegs{"Leg", "Foot", "Toe"},
    kRightArm{"RightUpperArm", "RightForeArm", "RightHand"};

// Angle between the line from one link to another and the way down in the trunk's frame, the largest [deg].
double off_down(const TrackResult& result, const Model& model, const std::string& from, const std::string& to,
                const std::string& trunk) {
  Kinematics kinematics(model);
  double most = 0.0;
  for (const State& state : result.motion.states) {
    kinematics.update(state);
    const Eigen::Vector3d way =
        kinematics.p_WL(model.link_index(to)) - kinematics.p_WL(model.link_index(from));
    const Eigen::Vector3d seen = kinematics.R_WL(model.link_index(trunk)).transpose() * way.normalized();
    most = std::max(most, std::acos(std::clamp(-seen.z(), -1.0, 1.0)) * kToDegrees);
  }
  return most;
}

bool is_of(const std::string& joint, const std::string& word) {
  return joint.find(word) != std::string::npos;
}

TEST(UnmeasuredLimbs, ArmsThatNothingMeasuresHangBesideTheBodyFromTheFirstFrameOn) {
  for (const Model& model : {human66(), human48()}) {
    PartialRecording legs(bundled_walk(), kArms);
    const TrackResult result = track(legs, model);
    ASSERT_FALSE(result.motion.states.empty());
    for (const std::string side : {"Right", "Left"}) {
      // 12 degrees away from the vertical, 15 more at the elbow
      EXPECT_LT(off_down(result, model, side + "UpperArm", side + "ForeArm", "T8"), 13.0) << model.name();
      EXPECT_LT(off_down(result, model, side + "UpperArm", side + "Hand", "T8"), 20.0) << model.name();
      EXPECT_GT(off_down(result, model, side + "UpperArm", side + "ForeArm", "T8"), 5.0) << "not in the hips";
    }
    for (const State& state : result.motion.states) {
      for (const std::string& joint : result.unmeasured_joints) {
        const int i = model.joint_index(joint);
        EXPECT_GT(state.s[i] - model.lower()[i], 1e-3) << joint << " is on a limit";
        EXPECT_GT(model.upper()[i] - state.s[i], 1e-3) << joint << " is on a limit";
      }
    }
  }
}

TEST(UnmeasuredLimbs, AreNamedJointByJointAndMeasuredOnesAreNot) {
  const Model model = human66();
  PartialRecording legs(bundled_walk(), kArms), one_arm(bundled_walk(), kRightArm),
      trunk(bundled_walk(), kLegs);
  const TrackResult no_arms = track(legs, model);
  EXPECT_EQ(no_arms.unmeasured_joints.size(), 24U) << "collar, shoulder, elbow, wrist, three axes, two sides";
  EXPECT_EQ(no_arms.part, "no arms in the recording");
  const TrackResult left = track(one_arm, model);
  EXPECT_EQ(left.unmeasured_joints.size(), 9U);
  for (const std::string& joint : left.unmeasured_joints) EXPECT_TRUE(is_of(joint, "jRight")) << joint;
  EXPECT_EQ(left.part, "no right arm in the recording");
  const TrackResult no_legs = track(trunk, model);
  EXPECT_EQ(no_legs.unmeasured_joints.size(), 24U) << "hip, knee, ankle, ball of the foot";
  EXPECT_EQ(no_legs.part, "upper body only (no legs in the recording)");
  EXPECT_EQ(verdict_of(no_legs).sentence.find("Good: upper body only (no legs in the recording); "), 0U)
      << verdict_of(no_legs).sentence;
  for (const std::string side : {"Right", "Left"})
    EXPECT_LT(off_down(no_legs, model, side + "UpperLeg", side + "Foot", "Pelvis"), 1.0) << "they stand";
}

TEST(UnmeasuredLimbs, AreInTheJsonAsACountAndAsNames) {
  const Model model = human66();
  PartialRecording one_arm(bundled_walk(), kRightArm);
  const std::string json = to_json(track(one_arm, model), model);
  EXPECT_NE(json.find("\"unmeasured_joints\":9"), std::string::npos) << json;
  EXPECT_NE(json.find("\"unmeasured_joint_names\":[\"jRightShoulder_rotx\""), std::string::npos) << json;
}

TEST(UnmeasuredLimbs, OfARobotHangAndCountInNoFigureOfLimits) {
  for (const std::string name : {"unitree_g1", "unitree_h1", "talos"}) {
    const Robot robot = shipped_robot(name);
    PartialRecording legs(bundled_walk(), kArms);
    const RetargetResult result = retarget(legs, robot);
    ASSERT_FALSE(result.motion.states.empty());
    EXPECT_FALSE(result.unmeasured_joints.empty()) << name;
    for (const std::string& joint : result.unmeasured_joints) {
      const auto i = static_cast<std::size_t>(robot.model.joint_index(joint));
      EXPECT_EQ(result.figures.joint_on_limit_share[i], 0.0) << name << " " << joint;
    }
    const auto link_of = [&](const std::string& segment) {
      for (const Attachment& a : robot.map.attachments.attachments)
        if (a.segment == segment) return a.link;
      return std::string();
    };
    for (const std::string side : {"Right", "Left"}) {
      const std::string upper = link_of(side + "UpperArm"), fore = link_of(side + "ForeArm");
      if (upper.empty() || fore.empty()) continue;
      EXPECT_LT(off_down(result, robot.model, upper, fore, robot.model.link_names()[0]), 35.0) << name;
    }
  }
}

TEST(UnmeasuredLimbs, DoNotChangeTheMotionOfAWholePerson) {
  const Model model = human48();
  const auto walk = bundled_walk();
  const TrackResult whole = track(*walk, model);
  EXPECT_TRUE(whole.unmeasured_joints.empty());
  EXPECT_TRUE(whole.part.empty());
  PartialRecording same(bundled_walk(), {}), hands(bundled_walk(), {"Hand"});
  EXPECT_EQ(track(same, model).card.state_hash, whole.card.state_hash);
  const TrackResult without = track(hands, model);
  EXPECT_TRUE(without.part.empty()) << "hands are often missing";
  for (const std::string& joint : without.unmeasured_joints) EXPECT_TRUE(is_of(joint, "Wrist")) << joint;
}

TEST(UnmeasuredLimbs, LiveArmsHangFromTheFirstSampleOn) {
  const Model model = human66();
  std::vector<std::string> segments;
  for (const std::string& name : human_segment_names()) {
    if (name.find("Arm") == std::string::npos && name.find("Hand") == std::string::npos)
      segments.push_back(name);
  }
  const auto tracker = live_tracker(model, segments);
  SegmentSample sample;
  sample.segments.resize(segments.size());
  for (SegmentMotion& segment : sample.segments) segment.has_orientation = true;
  TrackResult result;
  State state = rest_state(model);
  for (int k = 0; k < 600; ++k) {
    sample.t = from_seconds(k / 100.0);
    ASSERT_TRUE(advanced(tracker->step(sample, state)));
  }
  result.motion.states.push_back(state);
  EXPECT_LT(off_down(result, model, "RightUpperArm", "RightForeArm", "T8"), 15.0)
      << "from the T pose of the first State at the rate of the rest pose, 1/s";
}

}  // namespace
}  // namespace panto
