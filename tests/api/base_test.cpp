// Robots whose base does not float: bolted to the world, or on wheels.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "panto/api/live_retargeter.hpp"
#include "panto/api/retarget.hpp"
#include "panto/base/error.hpp"
#include "panto/base/index.hpp"
#include "panto/io/open_model.hpp"
#include "panto/math/so3.hpp"
#include "panto/model/kinematics.hpp"
#include "panto/recording/person_reader.hpp"
#include "panto/report/report.hpp"
#include "tests/support/bundled_walk.hpp"
#include "tests/support/refusals.hpp"
#include "tests/support/test_data.hpp"
#include "tests/support/upper_body.hpp"

namespace panto {
namespace {

using enum HumanSegment::Index;
using Eigen::Vector3d;
using test::bundled_walk;
using test::kAxle;
using test::kWheel;
using test::names;
using test::refusal_of;
using test::upper_body;

struct Person {
  std::vector<Vector3d> pelvis;
  std::vector<double> heading;
};

Person person_of(Recording& recording) {
  Person person;
  PersonReader reader(recording);
  SegmentSample sample;
  const auto pelvis = entry_of(reader.names(), Pelvis);
  recording.rewind();
  while (reader.read(sample) == ReadStatus::Sample) {
    const SegmentMotion& segment = sample.segments[*pelvis];
    person.pelvis.push_back(segment.p_WS);
    person.heading.push_back(
        std::atan2(segment.R_WS(1, 0) - segment.R_WS(0, 1), segment.R_WS(0, 0) + segment.R_WS(1, 1)));
  }
  recording.rewind();
  return person;
}

double tilt_of(const State& state) { return std::acos(std::min(1.0, state.R_WB(2, 2))); }

void expect_on_wheels(const Motion& motion, const char* how) {
  ASSERT_FALSE(motion.states.empty()) << how;
  for (const State& state : motion.states) {
    ASSERT_NEAR(state.p_WB.z(), kAxle + kWheel, 1e-9) << how << ": wheels touch the floor";
    ASSERT_LT(tilt_of(state), 1e-7) << how;
    ASSERT_NEAR(state.v_WB.z(), 0.0, 1e-9) << how;
  }
}

TEST(RobotBase, OnWheelsStaysUprightOnTheFloorAndFollowsThePersonsWayAndHeading) {
  const auto walk = bundled_walk();
  const Robot robot = make_robot(upper_body(true));
  EXPECT_EQ(robot.model.base(), BaseKind::Rolling);
  EXPECT_TRUE(std::any_of(robot.notes.begin(), robot.notes.end(), [](const std::string& note) {
    return names(note, "rolls", "'left_wheel'", "`base`");
  }));
  const RetargetResult result = retarget(*walk, robot);
  expect_on_wheels(result.motion, "solved");
  EXPECT_EQ(result.figures.limit_violations, 0);
  EXPECT_LT(result.following.followable_mean_deg.value(), 3.0);
  const Person person = person_of(*walk);
  ASSERT_EQ(result.motion.states.size(), person.pelvis.size());
  const State &first = result.motion.states.front(), &last = result.motion.states.back();
  const double way = (last.p_WB - first.p_WB).norm(),
               theirs = (person.pelvis.back() - person.pelvis.front()).head<2>().norm();
  EXPECT_GT(way, 0.3) << "it goes where the person goes";
  for (std::size_t k = 0; k < person.pelvis.size(); ++k) {
    const State& state = result.motion.states[k];
    const Vector3d ours = state.p_WB - first.p_WB;
    const Vector3d scaled = way / theirs * (person.pelvis[k] - person.pelvis.front());
    ASSERT_LT((ours - scaled).head<2>().norm(), 1e-6) << k;
    const double heading = std::atan2(state.R_WB(1, 0), state.R_WB(0, 0));
    ASSERT_LT(std::abs(std::remainder(heading - person.heading[k], 2.0 * 3.14159265358979)), 1e-6) << k;
  }
}

TEST(RobotBase, VelocitiesOfARollingBaseAreDerivativesOfItsPoses) {
  const auto walk = bundled_walk();
  const RetargetResult result = retarget(*walk, make_robot(upper_body(true)));
  const std::vector<State>& states = result.motion.states;
  for (std::size_t k = 1; k + 1 < states.size(); ++k) {
    const double rate = 1.0 / to_seconds(states[k + 1].t - states[k - 1].t);
    ASSERT_LT((states[k].v_WB - rate * (states[k + 1].p_WB - states[k - 1].p_WB)).norm(), 1e-9) << k;
    ASSERT_LT((states[k].sdot - rate * (states[k + 1].s - states[k - 1].s)).norm(), 1e-9) << k;
  }
}

TEST(RobotBase, RollsAlikeWhenSmoothedScaledOrForwardsOnly) {
  const auto walk = bundled_walk();
  const Robot robot = make_robot(upper_body(true));
  for (const auto& [how, change] : std::vector<std::pair<const char*, std::function<void(RetargetOptions&)>>>{
           {"smoothed", [](RetargetOptions& o) { o.smooth.emplace(); }},
           {"scaled",
            [](RetargetOptions& o) {
              o.method.dynamical.limits.law = LimitLaw::None;
              o.scale.emplace();
            }},
           {"forwards", [](RetargetOptions& o) { o.two_way = false; }}}) {
    RetargetOptions options;
    change(options);
    walk->rewind();
    expect_on_wheels(retarget(*walk, robot, options).motion, how);
  }
}

TEST(RobotBase, FollowsLiveAsInAClip) {
  const auto walk = bundled_walk();
  const Robot robot = make_robot(upper_body(true));
  RetargetOptions options;
  options.two_way = false;
  options.feet = FeetMode::Off;
  const RetargetResult clip = retarget(*walk, robot, options);
  walk->rewind();
  PersonReader reader(*walk);
  std::vector<std::string> doubts;
  LiveRetargeter live(robot, reader.names(), subject_of(walk->info(), {}, {}, doubts), options);
  State state = live.rest_state();
  SegmentSample sample;
  std::size_t k = 0;
  while (reader.read(sample) == ReadStatus::Sample) {
    ASSERT_TRUE(advanced(live.step(sample, state)));
    const State& expected = clip.motion.states[k++];
    ASSERT_LT((state.p_WB - expected.p_WB).norm(), 1e-9) << k;
    ASSERT_LT(so3::distance(state.R_WB, expected.R_WB), 1e-9) << k;
    ASSERT_LT((state.s - expected.s).norm(), 1e-9) << k;
  }
  live.reset();
  walk->rewind();
  ASSERT_EQ(reader.read(sample), ReadStatus::Sample);
  State again = live.rest_state();
  ASSERT_TRUE(advanced(live.step(sample, again)));
  EXPECT_LT((again.s - clip.motion.states.front().s).norm(), 1e-9) << "as if it had not begun before";
}

TEST(RobotBase, WithoutLegsAndWheelsNeverMoves) {
  const auto walk = bundled_walk();
  const Robot robot = make_robot(upper_body(false));
  EXPECT_EQ(robot.model.base(), BaseKind::Fixed);
  const RetargetResult result = retarget(*walk, robot);
  for (const State& state : result.motion.states) {
    ASSERT_EQ(state.p_WB.norm(), 0.0);
    ASSERT_TRUE(state.R_WB.isIdentity(0.0));
  }
  EXPECT_LT(result.following.followable_mean_deg.value(), 3.0)
      << "arms and waist follow, seen from the pelvis";
}

TEST(RobotBase, IsWhatIsAsked) {
  const Robot floats = make_robot(upper_body(false), {}, {}, "the map", BaseKind::Floating);
  EXPECT_TRUE(floats.model.floating_base());
  const Robot fixed = make_robot(test::shipped_robot("unitree_g1").model, {}, {}, "the map", BaseKind::Fixed);
  EXPECT_EQ(fixed.model.base(), BaseKind::Fixed);
  const auto walk = bundled_walk();
  const RetargetResult result = retarget(*walk, fixed);
  const Vector3d place = result.motion.states.front().p_WB;
  EXPECT_GT(place.z(), 0.6) << "it hangs where it would stand";
  for (const State& state : result.motion.states) ASSERT_EQ(state.p_WB, place);
  EXPECT_FALSE(result.figures.foot_skate_p95_mm_s) << "feet that hang stand nowhere";
  EXPECT_FALSE(result.figures.foot_penetration_max_mm);
  EXPECT_EQ(verdict_of(result, fixed.model).grade, Verdict::Grade::Good)
      << "not usable for sliding feet before";
}

TEST(RobotBase, OfAFileThatBoltsItToTheWorldIsFixed) {
  PANTO_NEED_DATA("cases/18_no_legs_bolted_to_world.urdf");
  const Robot robot = robot_of(io::open_robot(test::data_file("cases/18_no_legs_bolted_to_world.urdf")));
  EXPECT_EQ(robot.model.base(), BaseKind::Fixed);
  const auto walk = bundled_walk();
  const RetargetResult result = retarget(*walk, robot);
  for (const State& state : result.motion.states) {
    ASSERT_EQ(state.p_WB.norm(), 0.0);
    ASSERT_LT(tilt_of(state), 1e-9);
  }
  EXPECT_LT(result.following.followable_mean_deg.value(), 3.0);
}

// a root whose x points left: the base is turned, so that the robot faces as the person does
TEST(RobotBase, FacesThePersonsWayWhateverTheRootsAxes) {
  ModelSpec spec = upper_body(true).spec();
  const Eigen::Matrix3d turn = so3::exp({0.0, 0.0, -M_PI / 2.0});
  for (Joint& joint : spec.joints) {
    if (joint.parent != "pelvis") continue;
    joint.p_PJ = turn * joint.p_PJ;
    joint.R_PJ = turn * joint.R_PJ;
  }
  const auto walk = bundled_walk();
  const RetargetResult straight = retarget(*walk, make_robot(upper_body(true)));
  walk->rewind();
  const RetargetResult turned = retarget(*walk, make_robot(Model(spec)));
  expect_on_wheels(turned.motion, "turned");
  ASSERT_EQ(straight.motion.states.size(), turned.motion.states.size());
  for (std::size_t k = 0; k < straight.motion.states.size(); ++k) {
    // not the same bits: with the base in the map, T8's place takes no part
    ASSERT_LT((straight.motion.states[k].s - turned.motion.states[k].s).cwiseAbs().maxCoeff(), 0.01) << k;
    ASSERT_LT(so3::distance(straight.motion.states[k].R_WB * turn.transpose(), turned.motion.states[k].R_WB),
              1e-6);
  }
}

TEST(RobotBase, RefusesOwnTargetsWhereTheRobotIsSolvedRelativeToItsBase) {
  const auto walk = bundled_walk();
  RetargetOptions options;
  options.own.targets.positions.push_back({.link = "left_rubber_hand"});
  EXPECT_TRUE(
      names(refusal_of<ConfigError>([&] { (void)retarget(*walk, make_robot(upper_body(true)), options); }),
            "own targets"));
}

TEST(MakeRobot, RefusesARobotWithoutAJointThatMoves) {
  PANTO_NEED_DATA("cases/09_all_limits_zero.urdf");
  const io::RobotFile file = io::open_robot(test::data_file("cases/09_all_limits_zero.urdf"));
  EXPECT_TRUE(names(refusal_of<ModelError>([&] { (void)robot_of(file); }), "no joint can move", "limits"));
}

TEST(RobotFigures, LeaveOutGrippersThatNothingMoves) {
  ModelSpec spec = upper_body(false).spec();
  for (const char* finger : {"finger_1", "finger_2"}) {
    spec.links.push_back({.name = finger, .mass = 0.01});
    Joint joint{std::string(finger).append("_joint"), JointType::Revolute, "left_rubber_hand", finger};
    joint.p_PJ = {0.1, 0.0, 0.0};
    joint.lower = 0.0;  // its rest pose is on its limit
    joint.upper = 1.0;
    spec.joints.push_back(joint);
  }
  const auto walk = bundled_walk();
  const Robot robot = make_robot(Model(std::move(spec)));
  const RetargetResult result = retarget(*walk, robot);
  for (const char* finger : {"finger_1_joint", "finger_2_joint"})
    EXPECT_EQ(result.figures.joint_on_limit_share[at(robot.model.joint_index(finger))], 0.0) << finger;
  EXPECT_LT(result.figures.on_limit_share.value(), 1.0);
}

}  // namespace
}  // namespace panto
