#include "panto/retarget/solve_recording.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "panto/math/so3.hpp"
#include "panto/model/kinematics.hpp"
#include "panto/retarget/sole_depth.hpp"
#include "tests/support/refusals.hpp"
#include "tests/support/shown_person.hpp"

namespace panto {
namespace {

// A walk of 1.5 s, and a robot that follows it.
struct SolveScene {
  explicit SolveScene(const SubjectDimensions& proportions = test::long_shanks())
      : robot(human48(proportions)) {
    options.method.dynamical = robot_options();
  }

  SolvedRecording solve(const Observer& observer = {}) {
    person.rewind();
    clip = make_robot_clip(person, robot, test::human_map(), *person.about.subject, options.feet);
    return solve_recording(*clip.recording, robot, clip.feet, options, observer);
  }

  test::ShownPerson person = test::shown_person("walk", 1.5);
  Model robot;
  RobotClip clip;
  SolveOptions options;
};

// How far velocities of the joints are from the derivatives of what is published, at most [rad/s].
double off_derivatives(const Motion& motion) {
  double most = 0.0;
  for (std::size_t k = 1; k + 1 < motion.states.size(); ++k) {
    const State &before = motion.states[k - 1], &after = motion.states[k + 1];
    const Eigen::VectorXd rate = (after.s - before.s) / to_seconds(after.t - before.t);
    most = std::max(most, (motion.states[k].sdot - rate).lpNorm<Eigen::Infinity>());
  }
  return most;
}

// the largest angle between a link and its segment after the first half second [rad]
double farthest_off(const SolveScene& scene, const Motion& motion) {
  Kinematics kinematics(scene.robot);
  double most = 0.0;
  for (std::size_t k = 30; k < motion.states.size(); ++k) {
    kinematics.update(motion.states[k]);
    for (std::size_t i = 0; i < kHumanSegmentCount; ++i)
      most = std::max(most, so3::distance(kinematics.R_WL(scene.robot.link_index(kHumanSegmentNames[i])),
                                          scene.person.samples[k].segments[i].R_WS));
  }
  return most;
}

TEST(SolveRecording, ARobotThatIsAHumanPointsItsLimbsAsThePersonDoes) {
  for (const bool two_way : {true, false}) {
    SolveScene scene;
    scene.options.feet = FeetMode::Off;
    scene.options.two_way = two_way;
    const SolvedRecording solved = scene.solve();
    ASSERT_EQ(solved.clip.motion.states.size(), 90U);
    EXPECT_LT(farthest_off(scene, solved.clip.motion), 0.005) << "[rad] 0.3 deg of a walk at 60 Hz";
    EXPECT_LT(off_derivatives(solved.clip.motion), 1e-9) << "the solver's are those of the step before";
    EXPECT_EQ(solved.ambiguous_starts, 0);
    ASSERT_EQ(solved.clip.motion.contacts.size(), 2U) << "known, but no foot is held";
    EXPECT_TRUE(solved.clip.motion.contacts[0].anchor.empty());
    EXPECT_EQ(scene.clip.recording->frame(), -1) << "at its beginning";
  }
}

TEST(SolveRecording, PlantedFeetStandOnTheirAnchorsAboveTheFloorAndVelocitiesAreDerivatives) {
  SolveScene scene;
  scene.options.clear.emplace();
  const SolvedRecording solved = scene.solve();
  const std::vector<State>& states = solved.clip.motion.states;
  ASSERT_EQ(states.size(), 90U);
  Kinematics kinematics(scene.robot);
  SoleDepth depth(scene.robot, scene.clip.recording->skeleton(), {0, 1});
  int standing = 0;
  for (std::size_t k = 0; k < states.size(); ++k) {
    depth.add(states[k], false);
    kinematics.update(states[k]);
    for (const LinkContacts& foot : solved.clip.motion.contacts) {
      if (!foot.stands(k)) continue;
      ++standing;
      ASSERT_EQ(foot.anchor.size(), 90U);
      EXPECT_LT((kinematics.p_WL(scene.robot.link_index(foot.link)) - foot.anchor[k]->p_WL).norm(), 0.005);
    }
  }
  EXPECT_LT(off_derivatives(solved.clip.motion), 1e-9);
  EXPECT_GT(standing, 75) << "of 2 x 90: a walker has nearly always one foot on the floor";
  const std::vector<double> left = depth.lift();
  EXPECT_LT(*std::max_element(left.begin(), left.end()), 1e-6) << "[m] of what would still have to rise";
  ASSERT_EQ(solved.notes.size(), 1U);
  EXPECT_TRUE(test::names(solved.notes[0], "the robot's model has no shapes of its links"))
      << "whoever asked for limbs apart hears why they are not";
}

TEST(SolveRecording, FramesWithoutAnAnswerAreLeftOutAndAGapIsACut) {
  SolveScene scene;
  const double nan = std::numeric_limits<double>::quiet_NaN();
  scene.person.samples[61].segments[HumanSegment::T12].R_WS(0, 0) = nan;
  for (std::size_t k = 70; k < 90; ++k) scene.person.samples[k].t += 2'000'000'000;  // 2 s later
  const SolvedRecording solved = scene.solve();
  ASSERT_EQ(solved.clip.records.size(), 90U);
  ASSERT_EQ(solved.clip.motion.states.size(), 89U);
  EXPECT_EQ(solved.clip.records[61].status, StepStatus::TargetNotFinite);
  EXPECT_EQ(solved.clip.state_of[61], -1);
  EXPECT_EQ(solved.clip.state_of[62], 61);
  EXPECT_EQ(solved.clip.cuts(), (std::vector<int>{69}));
  for (const State& state : solved.clip.motion.states) EXPECT_TRUE(is_valid(state, scene.robot));
  for (const LinkContacts& foot : solved.clip.motion.contacts) EXPECT_EQ(foot.heel.size(), 89U);
}

TEST(SolveRecording, ARobotOnAStandStaysThere) {
  SolveScene scene;
  ModelSpec spec = scene.robot.spec();
  spec.floating_base = false;
  scene.robot = Model(std::move(spec));
  robot::Map map = test::human_map();
  map.base_height = 0.7;  // [m]
  scene.clip = make_robot_clip(scene.person, scene.robot, map, *scene.person.about.subject, FeetMode::Plant);
  const SolvedRecording solved =
      solve_recording(*scene.clip.recording, scene.robot, scene.clip.feet, scene.options, {});
  ASSERT_EQ(solved.clip.motion.states.size(), 90U);
  for (const State& state : solved.clip.motion.states) EXPECT_EQ(state.p_WB, Eigen::Vector3d(0.0, 0.0, 0.7));
  EXPECT_FALSE(scene.clip.recording->carried()) << "from now on samples are the world's, to judge by";
  EXPECT_TRUE(solved.clip.motion.contacts.empty()) << "its feet stand nowhere";
}

TEST(SolveRecording, AnObserverStopsItAndNoFramesYieldNoMotion) {
  SolveScene scene;
  Observer observer;
  std::int64_t seen = 0;
  observer.progress = [&](std::int64_t done, std::optional<std::int64_t>) { return (seen = done) < 40; };
  EXPECT_THROW((void)scene.solve(observer), Cancelled);
  EXPECT_EQ(seen, 40) << "and not a frame later";
  scene.person.samples.clear();
  scene.options.smooth.emplace();
  scene.options.clear.emplace();
  const SolvedRecording solved = scene.solve();
  EXPECT_TRUE(solved.clip.motion.states.empty() && solved.clip.records.empty());
}

}  // namespace
}  // namespace panto
