#include "panto/retarget/plant_motion.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "panto/base/index.hpp"
#include "panto/model/kinematics.hpp"
#include "panto/retarget/robot_clip.hpp"
#include "tests/support/refusals.hpp"
#include "tests/support/shown_person.hpp"

namespace panto {
namespace {

using Eigen::Vector3d;

// A walk of a person, and the robot with the person's joints: its feet slide.
struct PlantScene {
  explicit PlantScene(double seconds = 3.0) : person(test::shown_person("walk", seconds)) {
    clip = make_robot_clip(person, robot, test::human_map(), *person.about.subject, FeetMode::Plant);
    motion.joint_names = robot.joint_names();
    motion.rate_hz = 60.0;
    motion.states = person.truth;
    for (State& state : motion.states) state.p_WB *= clip.recording->skeleton().scale();
  }
  // Cuts the person before a frame.
  void cut(std::size_t frame) {
    person.samples[frame].cut = true;
    person.rewind();
    clip = make_robot_clip(person, robot, test::human_map(), *person.about.subject, FeetMode::Plant);
  }
  PlantMotionReport plant(const PlantMotionOptions& options = {}, const std::vector<int>& cuts = {}) {
    return plant_motion(robot, clip.recording->skeleton(), clip.feet,
                        base_wishes(*clip.recording, clip.feet.contacts.ground), options, cuts, motion);
  }
  // the largest way over the floor of a point of a sole between two frames in which the person's touches [m]
  [[nodiscard]] double slide() const {
    Kinematics kinematics(robot);
    double most = 0.0;
    for (std::size_t i = 0; i < clip.feet.sides.size(); ++i) {
      const FootContacts& person_foot = clip.feet.contacts.feet[i];
      const FootSole sole = robot_sole(clip.recording->skeleton(), clip.feet.sides[i]);
      const int link = robot.link_index(person_foot.name);
      for (const bool heel : {true, false}) {
        const std::vector<unsigned char>& touches = heel ? person_foot.heel : person_foot.ball;
        Vector3d before = Vector3d::Zero();
        for (std::size_t k = 0; k < motion.states.size(); ++k) {
          kinematics.update(motion.states[k]);
          const Vector3d here =
              kinematics.p_WL(link) + kinematics.R_WL(link) * (heel ? sole.heel : sole.ball);
          if (k > 0 && touches[k] != 0 && touches[k - 1] != 0)
            most = std::max(most, (here - before).head<2>().norm());
          before = here;
        }
      }
    }
    return most;
  }

  test::ShownPerson person;
  Model robot = human48(test::long_shanks());
  RobotClip clip;
  Motion motion;
};

TEST(PlantMotion, AStandingFootKeepsItsPlace) {
  PlantScene scene;
  ASSERT_GT(scene.slide(), 0.002) << "[m] a frame, 0.12 m/s: long shanks do not fit the way of the base";
  const PlantMotionReport report = scene.plant();
  EXPECT_LT(scene.slide(), 0.0003) << "[m] a frame, 18 mm/s";
  EXPECT_LT(report.feet_missed_m, 0.004);
  ASSERT_EQ(scene.motion.contacts.size(), 2U);
  int standing = 0;
  Kinematics kinematics(scene.robot);
  for (const LinkContacts& foot : scene.motion.contacts)
    for (std::size_t k = 0; k < scene.motion.states.size(); ++k) {
      ASSERT_EQ(foot.anchor[k].has_value(), foot.stands(k));
      if (!foot.stands(k)) continue;
      ++standing;
      kinematics.update(scene.motion.states[k]);
      const Vector3d p_WF = kinematics.p_WL(scene.robot.link_index(foot.link));
      EXPECT_LE((p_WF - foot.anchor[k]->p_WL).norm(), report.feet_missed_m + 1e-12);
    }
  EXPECT_GT(standing, 150) << "of 2 x 180 frames: a walker has nearly always one foot on the floor";
}

TEST(PlantMotion, LegsKeepTheirLimitsAndVelocitiesAreDerivatives) {
  PlantScene scene;
  PlantMotionOptions options;
  std::int64_t last = 0;
  options.progress = [&](std::int64_t done) { last = done; };
  options.speed_limit = 3.0;  // [rad/s]
  ModelSpec spec = scene.robot.spec();
  for (Joint& joint : spec.joints) joint.velocity = kInfinity;
  scene.robot = Model(spec);
  double fastest = 0.0;
  for (const State& state : scene.motion.states)
    fastest = std::max(fastest, state.sdot.lpNorm<Eigen::Infinity>());
  ASSERT_GT(fastest, 4.0) << "[rad/s] of a walking knee";
  (void)scene.plant(options);
  EXPECT_EQ(last, 180) << "frames of the last pass";
  const std::vector<State>& states = scene.motion.states;
  for (std::size_t k = 1; k + 1 < states.size(); ++k) {
    EXPECT_GE((states[k].s - scene.robot.lower()).minCoeff(), 0.0) << k;
    EXPECT_LE((states[k].s - scene.robot.upper()).maxCoeff(), 0.0) << k;
    const double dt = to_seconds(states[k].t - states[k - 1].t);
    EXPECT_LE((states[k].s - states[k - 1].s).lpNorm<Eigen::Infinity>(), 3.0 * dt) << k;
    const double twice = to_seconds(states[k + 1].t - states[k - 1].t);
    EXPECT_LT((states[k].v_WB - (states[k + 1].p_WB - states[k - 1].p_WB) / twice).norm(), 1e-9) << k;
    EXPECT_LT((states[k].sdot - (states[k + 1].s - states[k - 1].s) / twice).norm(), 1e-9) << k;
  }
}

// The person is 1 m further on from frame 90 on, in no time.
TEST(PlantMotion, ACutStaysAJumpAndWhatComesAfterItChangesNoBitBeforeIt) {
  std::vector<State> first;
  for (const double turn : {0.0, 1.0}) {
    PlantScene scene;
    const double jump = scene.clip.recording->skeleton().scale();  // of 1 m, in the robot's size
    const int arm = scene.robot.joint_index("jRightShoulder_roty");
    for (std::size_t k = 90; k < 180; ++k) {
      for (SegmentMotion& segment : scene.person.samples[k].segments) segment.p_WS.x() += 1.0;
      scene.motion.states[k].s[arm] += turn;
      scene.motion.states[k].s[scene.robot.joint_index("jRightKnee_roty")] += 0.4 * turn;
    }
    scene.cut(90);
    (void)scene.plant({}, {90});
    const State &before = scene.motion.states[89], &after = scene.motion.states[90];
    EXPECT_NEAR(after.p_WB.x() - before.p_WB.x(), jump, 0.06) << "[m] and one frame of a walk at 1.2 m/s";
    EXPECT_NEAR(after.s[arm] - before.s[arm], turn, 0.1) << "[rad] no speed limit counts over a cut";
    if (first.empty()) first = scene.motion.states;
    double most = 0.0;
    for (std::size_t k = 0; k < 90; ++k)
      most = std::max({most, (scene.motion.states[k].s - first[k].s).lpNorm<Eigen::Infinity>(),
                       (scene.motion.states[k].p_WB - first[k].p_WB).norm()});
    EXPECT_EQ(most, 0.0) << "[rad], [m]";
  }
}

TEST(PlantMotion, WishesAndContactsFollowTheRecordedInstants) {
  std::vector<BaseWish> wishes(2);
  wishes[1].t = 100;
  wishes[1].person = {2.0, 0.0, 4.0};
  wishes[1].on_soles = 1.0;
  wishes[0].foot[0] = wishes[1].foot[0] = wishes[0].foot[1] = Eigen::Matrix3d::Identity();
  PersonFeet feet;
  feet.sides = {0};
  feet.t = {0, 100};
  feet.cuts = {1};
  feet.contacts.feet = feet.rests = {{"RightFoot", {1, 0}, {1, 0}, {{0, 0}}, 0.0, 0.0, 0.0, 0.0, {}}};
  const std::vector<Time> recorded{-50, 25, 75, 900}, t{0, 1000, 2000, 3000};  // before the first, behind all
  const std::vector<BaseWish> at_new = wishes_at(wishes, recorded, t);
  ASSERT_EQ(at_new.size(), 4U);
  const double share[] = {0.0, 0.25, 0.75, 1.0};  // of the way from 0 to 100
  for (std::size_t k = 0; k < 4; ++k) {
    EXPECT_EQ(at_new[k].t, t[k]);
    EXPECT_LT((at_new[k].person - share[k] * wishes[1].person).norm(), 1e-15) << k;
    EXPECT_NEAR(at_new[k].on_soles, share[k], 1e-15) << k;
    EXPECT_TRUE(at_new[k].foot[0].has_value()) << k;
  }
  EXPECT_FALSE(at_new[1].foot[1].has_value()) << "of the left foot one end is not measured";
  const PersonFeet shown = feet_at(feet, recorded, t);
  EXPECT_EQ(shown.t, t);
  EXPECT_TRUE(shown.cuts.empty());
  EXPECT_EQ(shown.contacts.feet[0].heel, (std::vector<unsigned char>{1, 1, 0, 0}));
  ASSERT_EQ(shown.rests[0].planted.size(), 1U);
  EXPECT_EQ(shown.rests[0].planted[0].last, 1);
  EXPECT_TRUE(wishes_at({}, recorded, t).empty());
}

TEST(PlantMotion, OptionsOutOfRangeAreRefusedAndNoFramesAreNoError) {
  PlantScene scene(0.1);
  const auto refused = [&](double PlantMotionOptions::*option, double value) {
    PlantMotionOptions options;
    options.*option = value;
    return test::names(test::refusal_of<ConfigError>([&] { (void)scene.plant(options); }), "planted motion");
  };
  EXPECT_TRUE(refused(&PlantMotionOptions::calm, -1e-3));
  EXPECT_TRUE(refused(&PlantMotionOptions::base_time, 0.0));
  EXPECT_TRUE(refused(&PlantMotionOptions::pull, 0.0));
  EXPECT_TRUE(refused(&PlantMotionOptions::lift, std::numeric_limits<double>::quiet_NaN()));
  EXPECT_FALSE(refused(&PlantMotionOptions::calm, 0.0)) << "no smoothing";
  scene.motion.states.clear();
  scene.motion.contacts.clear();
  const PlantMotionReport report = scene.plant();
  EXPECT_EQ(report.feet_missed_m, 0.0);
  EXPECT_TRUE(report.still.empty());
  EXPECT_EQ(let_go_note(report), "");
  EXPECT_EQ(let_go_note({0.02, {}}), "") << "2 cm: as far as a foot may be off";
  EXPECT_TRUE(test::names(let_go_note({0.0251, {}}), " 25.1 mm "));
}

}  // namespace
}  // namespace panto
