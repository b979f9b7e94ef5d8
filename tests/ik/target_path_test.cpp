#include "panto/ik/target_path.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "apps/support/allocation_count.hpp"
#include "panto/base/index.hpp"
#include "panto/math/so3.hpp"
#include "panto/model/human.hpp"
#include "tests/support/random_model.hpp"

namespace panto {
namespace {

// Orientations and places of all links of the human that have mass, at a pose.
Targets targets_at(const Model& model, const State& state) {
  Kinematics kinematics(model);
  kinematics.update(state);
  Targets targets;
  targets.t = 5;
  for (int link = 0; link < model.link_count(); ++link) {
    if (model.links()[at(link)].mass <= 0.0) continue;
    Target row;
    row.link = link;
    row.position_weight = 1.0;
    row.R_WF = kinematics.R_WL(link);
    row.p_WF = kinematics.p_WL(link);
    row.has_orientation = row.has_position = true;
    targets.rows.push_back(row);
  }
  return targets;
}

struct Way {
  Model model = human48();
  State from = rest_state(model), to = from;
  Kinematics start{model};

  explicit Way(unsigned seed) {
    test::Random random(seed);
    for (int i = 0; i < model.dof(); ++i) to.s[i] = test::uniform(random, -1.0, 1.0);
    to.R_WB = test::random_rotation(random);
    to.p_WB = test::random_vector(random, 1.0);
    start.update(from);
  }
};

TEST(TargetPath, BeginsAtThePoseAndEndsAtTheGoal) {
  Way way(1);
  const Targets goal = targets_at(way.model, way.to);
  TargetPath path(way.model, goal.rows);
  path.set_ends(way.start, goal);
  for (std::size_t j = 0; j < goal.rows.size(); ++j) {
    const Target& begin = path.at_share(0.0).rows[j];
    // a row's orientation is told from the row before it, and the first one's from the world: all are where
    // the pose has them
    EXPECT_LT(so3::distance(begin.R_WF, way.start.R_WL(begin.link)), 1e-12);
    EXPECT_LT((begin.p_WF - way.start.p_WL(begin.link)).norm(), 1e-12);
    const Target& end = path.at_share(1.0).rows[j];
    EXPECT_LT(so3::distance(end.R_WF, goal.rows[j].R_WF), 1e-9);
    EXPECT_LT((end.p_WF - goal.rows[j].p_WF).norm(), 1e-12);
  }
  EXPECT_EQ(path.at_share(0.5).t, goal.t);
}

TEST(TargetPath, TurnsEveryLinkAtOneSpeedSeenFromTheOneBeforeIt) {
  // one joint that turns by 1.2 rad: everything behind it turns with it, everything else rests
  const Model model = human48();
  const State rest = rest_state(model);
  Kinematics start(model);
  start.update(rest);
  State bent = rest;
  const int elbow = model.joint_index("jRightElbow_rotz");
  bent.s[elbow] += 1.2;
  const Targets goal = targets_at(model, bent);
  TargetPath path(model, goal.rows);
  path.set_ends(start, goal);
  for (const double share : {0.25, 0.5, 0.75}) {
    State there = rest;
    there.s[elbow] += share * 1.2;
    const Targets expected = targets_at(model, there);
    const Targets& got = path.at_share(share);
    for (std::size_t j = 0; j < goal.rows.size(); ++j)
      EXPECT_LT(so3::distance(got.rows[j].R_WF, expected.rows[j].R_WF), 1e-12) << share;
  }
}

TEST(TargetPath, IsTheSameWhereverThePersonStandsAndFaces) {
  Way way(2);
  const Targets goal = targets_at(way.model, way.to);
  TargetPath path(way.model, goal.rows);
  path.set_ends(way.start, goal);
  const Targets here = path.at_share(0.3);

  test::Random random(3);
  const Eigen::Matrix3d turn = test::random_rotation(random);
  const Eigen::Vector3d shift = test::random_vector(random, 5.0);
  State from = way.from;
  from.R_WB = turn * from.R_WB;
  from.p_WB = turn * from.p_WB + shift;
  way.start.update(from);
  Targets moved = goal;
  for (Target& row : moved.rows) {
    row.R_WF = turn * row.R_WF;
    row.p_WF = turn * row.p_WF + shift;
  }
  path.set_ends(way.start, moved);
  const Targets& there = path.at_share(0.3);
  for (std::size_t j = 0; j < goal.rows.size(); ++j) {
    EXPECT_LT(so3::distance(there.rows[j].R_WF, turn * here.rows[j].R_WF), 1e-12);
    EXPECT_LT((there.rows[j].p_WF - (turn * here.rows[j].p_WF + shift)).norm(), 1e-12);
  }
}

TEST(TargetPath, GoesRoundALinkThatIsNotMeasuredAndKeepsWhatIsNotKnownUnknown) {
  Way way(4);
  Targets goal = targets_at(way.model, way.to);
  const std::size_t lost = goal.rows.size() / 2;
  goal.rows[lost].has_orientation = false;
  goal.rows[lost].has_position = false;
  goal.rows[lost].R_WF.setConstant(std::nan(""));
  TargetPath path(way.model, goal.rows);
  path.set_ends(way.start, goal);
  const Targets& half = path.at_share(0.5);
  EXPECT_FALSE(half.rows[lost].has_orientation);
  EXPECT_FALSE(half.rows[lost].has_position);
  for (std::size_t j = 0; j < goal.rows.size(); ++j) {
    if (j != lost) {
      EXPECT_TRUE(so3::is_rotation(half.rows[j].R_WF, 1e-9)) << j;
    }
  }
}

TEST(TargetPath, DoesNotAllocate) {
  Way way(5);
  const Targets goal = targets_at(way.model, way.to);
  TargetPath path(way.model, goal.rows);
  const AllocationCount allocations;
  path.set_ends(way.start, goal);
  double sum = 0.0;
  for (const double share : {0.0, 0.5, 1.0}) sum += path.at_share(share).rows[0].p_WF.norm();
  if (AllocationCount::available()) {
    EXPECT_EQ(allocations.value(), 0);
  }
  EXPECT_TRUE(std::isfinite(sum));
}

}  // namespace
}  // namespace panto
