// Gestures: what each is meant to do, and that it does.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "panto/math/so3.hpp"
#include "panto/model/human.hpp"
#include "panto/synthesis/segments.hpp"
#include "tests/support/test_data.hpp"

namespace panto {
namespace {

constexpr double kDegree = std::numbers::pi / 180.0;

const char* const kGestures[] = {"wave", "conduct", "forearm_roll", "overflex", "singular", "gesture"};

/// One round of a gesture on a body, 100 Hz.
Motion one_round(const char* name, const Model& model, std::uint64_t seed = 1) {
  const Synthesis synthesis = make_synthesis(name, model, seed);
  return synthesise(synthesis, synthesis.period(), 100.0);
}

std::pair<double, double> range(const Motion& motion, const Model& model, const char* joint) {
  const int i = model.joint_index(joint);
  double low = kInfinity, high = -kInfinity;
  for (const State& state : motion.states) {
    low = std::min(low, state.s[i] / kDegree);
    high = std::max(high, state.s[i] / kDegree);
  }
  return {low, high};
}

// the arm tee7 by its joints' names; its shape does not matter to angles
Model arm() {
  ModelSpec spec;
  spec.name = "arm";
  spec.floating_base = false;
  spec.links = {{"0"}};
  for (const char* name : {"shoulder_pan", "shoulder_tilt", "elbow_pan", "elbow_tilt", "wrist_yaw",
                           "wrist_pitch", "wrist_roll"}) {
    Joint joint;
    joint.name = name;
    joint.type = JointType::Revolute;
    joint.parent = spec.links.back().name;
    joint.child = std::to_string(spec.links.size());
    spec.links.push_back({joint.child});
    spec.joints.push_back(joint);
  }
  return Model(spec);
}

TEST(Gestures, BeginAndEndAtRestWithTheArmsHanging) {
  for (const Model& model : {human66(), human48()}) {
    for (const char* name : kGestures) {
      const Motion motion = one_round(name, model);
      LinkSampler sampler(model, {"RightUpperArm", "RightHand", "LeftUpperArm", "LeftHand"});
      for (const State& state : {motion.states.front(), motion.states.back()}) {
        SegmentSample sample;
        sampler.sample(state, sample);
        for (const std::size_t arm : {0U, 2U}) {
          const Eigen::Vector3d reach = sample.segments[arm + 1].p_WS - sample.segments[arm].p_WS;
          EXPECT_LT(reach.normalized().z(), -0.9) << name << ": an arm does not hang";
        }
        EXPECT_LT(state.sdot.cwiseAbs().maxCoeff(), 0.2) << name;
      }
    }
  }
}

TEST(Gestures, AreNoFasterThanAPerson) {
  for (const char* name : kGestures) {
    double fastest = 0.0;
    for (const State& state : one_round(name, human48()).states)
      fastest = std::max(fastest, state.sdot.cwiseAbs().maxCoeff());
    EXPECT_GT(fastest, 1.0) << name;
    EXPECT_LT(fastest, 10.0) << name;
  }
}

TEST(Gestures, WaveSwingsTheHandAboveTheShoulder) {
  const Model model = human48();
  LinkSampler sampler(model, {"RightUpperArm", "RightHand"});
  int turns = 0, up = 0;
  double before = 0.0, trend = 0.0;
  for (const State& state : one_round("wave", model).states) {
    SegmentSample sample;
    sampler.sample(state, sample);
    const Eigen::Vector3d hand = sample.segments[1].p_WS - sample.segments[0].p_WS;
    if (hand.z() < 0.15) continue;
    ++up;
    const double way = hand.y() - before;
    turns += way * trend < 0.0 ? 1 : 0;
    trend = way;
    before = hand.y();
  }
  EXPECT_GT(up, 300) << "half of the time";
  EXPECT_GE(turns, 9);
}

TEST(Gestures, ForearmRollTurnsTheBentForearmFarAboutItself) {
  const Model model = human48();
  const Motion motion = one_round("forearm_roll", model);
  const auto [low, high] = range(motion, model, "jRightElbow_roty");
  EXPECT_LT(low, -65.0);
  EXPECT_GT(high, 65.0);
}

TEST(Gestures, OverflexGoesThreeTimesFarBeyondEightyDegrees) {
  const Model model = human66();
  int times = 0;
  bool beyond = false;
  const int elbow = model.joint_index("jRightElbow_rotz");
  const Motion motion = one_round("overflex", model);
  for (const State& state : motion.states) {
    const bool now = state.s[elbow] > 80.0 * kDegree;
    times += now && !beyond ? 1 : 0;
    beyond = now;
  }
  EXPECT_EQ(times, 3);
  EXPECT_NEAR(range(motion, model, "jRightElbow_rotz").second, 135.0, 0.5);
}

TEST(Gestures, SingularPassesShoulderElbowAndWristStraight) {
  const Model model = human66();
  double shoulder = kInfinity, elbow = kInfinity, wrist = kInfinity;
  const Eigen::Vector3d along = -Eigen::Vector3d::UnitY();
  LinkSampler sampler(model, {"T8", "RightUpperArm", "RightForeArm", "RightHand"});
  for (const State& state : one_round("singular", model).states) {
    SegmentSample sample;
    sampler.sample(state, sample);
    const auto angle = [&](std::size_t a, std::size_t b) {
      const Eigen::Vector3d u = sample.segments[a].R_WS * along, v = sample.segments[b].R_WS * along;
      return std::atan2(u.cross(v).norm(), u.dot(v)) / kDegree;
    };
    shoulder = std::min(shoulder, angle(0, 1));
    elbow = std::min(elbow, angle(1, 2));
    wrist = std::min(wrist, angle(2, 3));
  }
  EXPECT_LT(shoulder, 6.0) << "the upper arm out to the side";
  EXPECT_LT(elbow, 2.5);
  EXPECT_LT(wrist, 2.5);
}

TEST(Gestures, DifferFromSeedToSeed) {
  const Model model = human48();
  const Motion a = one_round("gesture", model, 1), b = one_round("gesture", model, 2);
  double far = 0.0;
  for (std::size_t k = 0; k < a.states.size(); ++k)
    far = std::max(far, (a.states[k].s - b.states[k].s).cwiseAbs().maxCoeff());
  EXPECT_GT(far, 0.3);
}

TEST(SingularArm, CrossesItsSingularPosesWhenThePaperSays) {
  const Model model = arm();
  const Synthesis synthesis = make_synthesis("singular_arm", model);
  const auto joint = [&](const char* name, double t) {
    return synthesis.state(from_seconds(t)).s[model.joint_index(name)] / kDegree;
  };
  for (const double t : {0.0, 100.0 * std::numbers::pi, 200.0 * std::numbers::pi})
    EXPECT_NEAR(joint("shoulder_tilt", t), -90.0, 1e-6);
  EXPECT_NEAR(joint("elbow_tilt", 0.0), -45.0, 1e-9);
  for (const double t : {100.0 * std::asin(0.5), 100.0 * (std::numbers::pi - std::asin(0.5))})
    EXPECT_NEAR(joint("elbow_tilt", t), 0.0, 1e-6) << "52 and 262 s";
  EXPECT_NEAR(joint("wrist_pitch", std::numbers::pi / 0.03), 90.0, 1e-6) << "a touch";
}

TEST(SingularHold, HoldsAllThreeAtOnce) {
  const Model model = arm();
  const State state = make_synthesis("singular_hold", model).state(from_seconds(3.0));
  EXPECT_NEAR(state.s[model.joint_index("shoulder_tilt")], -90.0 * kDegree, 1e-12);
  EXPECT_EQ(state.s[model.joint_index("elbow_tilt")], 0.0);
  EXPECT_NEAR(state.s[model.joint_index("wrist_pitch")], 90.0 * kDegree, 1e-12);
  EXPECT_EQ(state.sdot.norm(), 0.0);
}

TEST(SingularArm, IsRefusedForAnyOtherModelWithTheJointThatIsMissing) {
  for (const char* name : {"singular_arm", "singular_hold"}) {
    try {
      (void)make_synthesis(name, human66());
      FAIL() << name;
    } catch (const ConfigError& error) {
      EXPECT_EQ(std::string(error.what()), "motion '" + std::string(name) +
                                               "' needs the arm tee7; 'human66' has no joint "
                                               "'shoulder_pan'");
    }
  }
}

}  // namespace
}  // namespace panto
