// Obstacles and pairs of links of a robot's map, over a whole clip and live.

#include <gtest/gtest.h>

#include <algorithm>

#include "panto/api/live_retargeter.hpp"
#include "panto/api/retarget.hpp"
#include "panto/base/index.hpp"
#include "panto/model/kinematics.hpp"
#include "panto/model/link_pairs.hpp"
#include "panto/recording/person_reader.hpp"
#include "panto/report/report.hpp"
#include "tests/support/bundled_walk.hpp"
#include "tests/support/test_data.hpp"

namespace panto {
namespace {

// Returns how far the surface of a link reaches to the left at most [m].
double leftmost(const Model& model, const std::vector<State>& states, const std::string& link) {
  Kinematics kinematics(model);
  const int hand = model.link_index(link);
  double y = -kInfinity;
  for (const State& state : states) {
    kinematics.update(state);
    for (const LinkCapsule& c : model.links()[at(hand)].capsules)
      for (const Eigen::Vector3d& end : {c.from, c.to})
        y = std::max(y, (kinematics.p_WL(hand) + kinematics.R_WL(hand) * end).y() + c.radius);
  }
  return y;
}

// A robot with a wall whose free side is to the right of `y`.
Robot beside_wall(Robot robot, double y) {
  Obstacle& wall = robot.map.obstacles.emplace_back();
  wall.name = "wall";
  wall.p_WO.y() = y;
  wall.R_WO << 1, 0, 0, 0, 0, -1, 0, 1, 0;  // its z is -y of the world
  return robot;
}

const char* const kHand = "left_wrist_yaw_link";
constexpr double kDeep = 0.03;  // [m] that the hand reaches beyond the wall when there is none

TEST(MapObstacles, KeepAHandThatSwingsOnItsSideOfAWall) {
  const Robot robot = test::shipped_robot("unitree_g1");
  const auto walk = test::bundled_walk();
  const double free = leftmost(robot.model, retarget(*walk, robot).motion.states, kHand);
  const auto again = test::bundled_walk();
  const Robot walled = beside_wall(robot, free - kDeep);
  const double kept = leftmost(walled.model, retarget(*again, walled).motion.states, kHand);
  EXPECT_LT(kept, free - kDeep + 0.002) << "deepest 2 mm, as of the own body";
}

TEST(MapObstacles, AWallThatLeavesNoRoomBesideTheHipDoesNotThrowTheArmAbout) {
  const Robot robot = test::shipped_robot("unitree_g1");
  const auto walk = test::bundled_walk();
  const Motion free = retarget(*walk, robot).motion;
  for (const double deep : {0.02, 0.03, 0.035, 0.045}) {
    const auto again = test::bundled_walk();
    const Robot walled = beside_wall(robot, leftmost(robot.model, free.states, kHand) - deep);
    const RetargetResult result = retarget(*again, walled);
    EXPECT_LT(result.figures.obstacle_max_mm.value_or(0.0), 10.0) << deep;
    double most = 0.0;
    for (std::size_t k = 0; k < free.states.size(); ++k)
      most = std::max(most, (result.motion.states[k].s - free.states[k].s).cwiseAbs().maxCoeff());
    EXPECT_LT(most, 0.6) << deep << ": 2 rad and half of the arm in the hip before";
  }
}

TEST(MapObstacles, WhatIsInAWallIsJudgedWhetherItIsAvoidedOrNot) {
  const auto walk = test::bundled_walk();
  RetargetOptions options;
  options.collisions = Collisions::Report;
  const Robot robot = test::shipped_robot("unitree_g1");
  const RetargetResult free = retarget(*walk, robot, options);
  EXPECT_FALSE(free.figures.obstacle_share) << "there is no wall";
  // the trunk walks in it all the way
  const auto again = test::bundled_walk();
  const RetargetResult walled = retarget(*again, beside_wall(robot, 0.0), options);
  ASSERT_TRUE(walled.figures.obstacle_share);
  EXPECT_GT(*walled.figures.obstacle_share, 0.99);
  EXPECT_GT(walled.figures.obstacle_max_mm.value_or(0.0), 50.0);
  EXPECT_TRUE(walled.figures.obstacle_max_pair.starts_with("wall and ")) << walled.figures.obstacle_max_pair;
  const Verdict verdict = verdict_of(walled, robot.model);
  EXPECT_EQ(verdict.grade, Verdict::Grade::Care);
  EXPECT_NE(verdict.sentence.find("the body is in an obstacle in "), std::string::npos) << verdict.sentence;
}

TEST(MapObstacles, KeepAHandOutLiveToo) {
  const Robot robot = test::shipped_robot("unitree_g1");
  const auto stream = [&](const Robot& followed) {
    const auto walk = test::bundled_walk();
    std::vector<std::string> notes;
    PersonReader reader(*walk);
    const SubjectDimensions person = subject_of(walk->info(), {}, {}, notes);
    LiveRetargeter live(followed, reader.names(), person, {});
    std::vector<State> states;
    State state = live.rest_state();
    for (SegmentSample sample; reader.read(sample) == ReadStatus::Sample;)
      if (advanced(live.step(sample, state))) states.push_back(state);
    return states;
  };
  const double free = leftmost(robot.model, stream(robot), kHand);
  const double kept = leftmost(robot.model, stream(beside_wall(robot, free - kDeep)), kHand);
  EXPECT_LT(kept, free - kDeep + 0.005) << "live, one frame at a time: 5 mm";
}

TEST(MapLinkPairs, ReachTheModelWithTheMap) {
  Robot robot = test::shipped_robot("unitree_g1");
  const auto pairs = link_pairs(robot.model, robot.model.rest());
  ASSERT_FALSE(pairs.empty());
  const auto [a, b] = pairs.front();
  const auto& names = robot.model.link_names();
  robot.map.pair_rules = {{names[at(a)], names[at(b)], false}};
  const Robot ruled = make_robot(robot.model, robot.map, {}, "a map", {});
  const auto left = link_pairs(ruled.model, ruled.model.rest());
  EXPECT_EQ(left.size(), pairs.size() - 1);
  EXPECT_EQ(std::find(left.begin(), left.end(), pairs.front()), left.end());
}

}  // namespace
}  // namespace panto
