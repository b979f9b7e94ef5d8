#include "panto/ik/pairwise.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <numbers>

#include "panto/ik/instantaneous.hpp"
#include "tests/support/plain_potential.hpp"
#include "tests/support/solver_scenes.hpp"
#include "tests/support/test_data.hpp"

namespace panto {
namespace {

using test::Random;

TEST(PairwiseSolver, IsExactOnTheFreeHumanFromAnywhere) {
  const Model model = human66();
  Random random(1);
  double worst = 0.0;
  for (int i = 0; i < test::scaled(200); ++i) {
    const State goal = test::random_pose(model, random, std::numbers::pi);
    Targets targets = test::observed(model, goal);
    targets.t = 1;
    PairwiseSolver solver(model, targets.rows, DynamicalOptions{});
    ASSERT_EQ(solver.pair_count(), 22);
    ASSERT_EQ(solver.closed_form_count(), 22);
    State state = test::random_pose(model, random, std::numbers::pi);
    ASSERT_EQ(solver.step(targets, state), StepStatus::Solved);
    worst = std::max(worst, test::worst_angle(model, state, targets));
    EXPECT_LT((state.p_WB - goal.p_WB).norm(), 1e-14);
  }
  std::printf("human66: worst angle %.1e rad\n", worst);
  EXPECT_LT(worst, 1e-12);
}

TEST(PairwiseSolver, StaysOnTheEulerBranchOfTheState) {
  const Model model = human66();
  Random random(2);
  State goal = test::random_pose(model, random, 0.6);
  Targets targets = test::observed(model, goal);
  targets.t = 1;
  State state = goal;
  state.t = 0;
  for (int i = 0; i < model.dof(); ++i) state.s[i] += test::uniform(random, -0.2, 0.2);
  state.s[10] += 4.0 * std::numbers::pi;  // two turns on: stays there
  PairwiseSolver solver(model, targets.rows, DynamicalOptions{});
  ASSERT_EQ(solver.step(targets, state), StepStatus::Solved);
  goal.s[10] += 4.0 * std::numbers::pi;
  EXPECT_LT((state.s - goal.s).cwiseAbs().maxCoeff(), 1e-10);
}

TEST(PairwiseSolver, IsExactWhereTheLimitedHumanCanBe) {
  const Model model = human48();
  Random random(3);
  int found = 0, poses = test::scaled(100);
  for (int i = 0; i < poses; ++i) {
    const State goal = test::random_pose(model, random, 3.0);
    Targets targets = test::observed(model, goal);
    targets.t = 1;
    PairwiseSolver solver(model, targets.rows, DynamicalOptions{});
    State state = goal;
    state.t = 0;
    for (int k = 0; k < model.dof(); ++k) {
      state.s[k] =
          std::clamp(state.s[k] + test::uniform(random, -0.7, 0.7), model.lower()[k], model.upper()[k]);
    }
    ASSERT_TRUE(usable(solver.step(targets, state)));
    found += test::worst_angle(model, state, targets) < 1e-9 ? 1 : 0;
  }
  std::printf("human48: %d of %d reachable poses found from 40 degrees away\n", found, poses);
  EXPECT_GE(found, poses * 95 / 100);
}

// one pair's relative orientation error in the answer
double pair_error(const Model& model, const State& state, const Targets& targets, const char* parent,
                  const char* child) {
  Kinematics kinematics(model);
  kinematics.update(state);
  const int a = model.link_index(parent), b = model.link_index(child);
  Eigen::Matrix3d A = Eigen::Matrix3d::Identity(), B = A;
  for (const Target& row : targets.rows) {
    if (row.link == a) A = row.R_WF;
    if (row.link == b) B = row.R_WF;
  }
  return so3::distance(A.transpose() * B, kinematics.R_WL(a).transpose() * kinematics.R_WL(b));
}

TEST(PairwiseSolver, KeepsWhatOnePairCannotMeetOutOfTheOthers) {
  // the upper leg asks for what the hip does not allow; knee and ankle are met relative to it all the same
  const Model model = human48();
  State goal = rest_state(model);
  goal.s[model.joint_index("jRightKnee_roty")] = 0.8;
  Targets targets = test::observed(model, goal);
  targets.t = 1;
  const Eigen::Matrix3d away = so3::exp({0.0, 0.0, 2.5});
  for (Target& row : targets.rows) {
    const std::string& name = model.link_names()[at(row.link)];
    if (name == "RightUpperLeg" || name == "RightLowerLeg" || name == "RightFoot" || name == "RightToe")
      row.R_WF = away * row.R_WF;
  }
  PairwiseSolver solver(model, targets.rows, DynamicalOptions{});
  State state = rest_state(model);
  ASSERT_EQ(solver.step(targets, state), StepStatus::Saturated);
  EXPECT_GT(pair_error(model, state, targets, "Pelvis", "RightUpperLeg"), 0.5);
  EXPECT_LT(pair_error(model, state, targets, "RightUpperLeg", "RightLowerLeg"), 1e-9);
  EXPECT_LT(pair_error(model, state, targets, "RightLowerLeg", "RightFoot"), 1e-9);
  EXPECT_LT(pair_error(model, state, targets, "Pelvis", "LeftUpperLeg"), 1e-9);
  EXPECT_LE(test::beyond_limits(model, state), 0.0);
}

TEST(PairwiseSolver, SolvesAPairOverSeveralLinksOnItsOwn) {
  // seven targets, as a small suit has: the joints between two of them share the turn
  const Model model = human48();
  Random random(4);
  double worst = 0.0;
  for (int i = 0; i < test::scaled(20); ++i) {
    const State goal = test::random_pose(model, random, 0.4);
    Targets targets = test::observed(model, goal);
    targets.t = 1;
    std::erase_if(targets.rows, [&](const Target& row) {
      const std::string& name = model.link_names()[at(row.link)];
      return name != "Pelvis" && name != "Head" && name.find("Hand") == std::string::npos &&
             name.find("Foot") == std::string::npos;
    });
    ASSERT_EQ(targets.rows.size(), 6U);
    PairwiseSolver solver(model, targets.rows, DynamicalOptions{});
    EXPECT_EQ(solver.pair_count(), 5);
    EXPECT_EQ(solver.closed_form_count(), 0);
    State state = rest_state(model);
    ASSERT_TRUE(usable(solver.step(targets, state)));
    worst = std::max(worst, test::worst_angle(model, state, targets));
    ASSERT_LE(test::beyond_limits(model, state), 0.0);
    // toes have no target: at rest
    EXPECT_EQ(state.s[model.joint_index("jRightBallFoot_roty")],
              model.rest()[model.joint_index("jRightBallFoot_roty")]);
  }
  EXPECT_LT(worst, 1e-8);
}

TEST(PairwiseSolver, HoldsAPairWhoseTargetIsMissingForTheMoment) {
  const Model model = human66();
  Random random(5);
  Targets targets = test::observed(model, test::random_pose(model, random, 0.5));
  targets.t = 1;
  for (Target& row : targets.rows) {
    if (model.link_names()[at(row.link)] == "LeftForeArm") row.has_orientation = false;
  }
  PairwiseSolver solver(model, targets.rows, DynamicalOptions{});
  State state = test::random_pose(model, random, 0.5);
  const State before = state;
  ASSERT_EQ(solver.step(targets, state), StepStatus::Solved);
  for (const char axis : {'x', 'y', 'z'}) {
    const int dof = model.joint_index(std::string("jLeftElbow_rot") + axis);
    EXPECT_EQ(state.s[dof], before.s[dof]);
  }
  // the hand behind it is met nevertheless
  EXPECT_LT(test::worst_angle(model, state, targets), 1e-12);
}

TEST(PairwiseSolver, FindsTheBaseThroughTheOthersWhenItsOwnTargetIsMissing) {
  const Model model = human66();
  Random random(6);
  const State goal = test::random_pose(model, random, 0.5);
  Targets targets = test::observed(model, goal);
  targets.t = 1;
  targets.rows[0].has_orientation = false;
  PairwiseSolver solver(model, targets.rows, DynamicalOptions{});
  State state = test::random_pose(model, random, 0.5);
  ASSERT_EQ(solver.step(targets, state), StepStatus::Solved);
  EXPECT_LT(test::worst_angle(model, state, targets), 1e-12);
  EXPECT_LT((state.p_WB - goal.p_WB).norm(), 1e-12);
}

TEST(PairwiseSolver, IsNotBetterThanTheWholeBodyWhereLimitsBind) {
  // the potential of its answer is never below the whole-body minimum that is found from there
  const Model model = human48();
  Random random(7);
  double pairs = 0.0, whole = 0.0;
  for (int i = 0; i < test::scaled(20); ++i) {
    Targets targets = test::observed(model, test::random_pose(model, random, 1.0));
    targets.t = 1;
    for (Target& row : targets.rows) row.R_WF = so3::exp(test::random_vector(random, 0.4)) * row.R_WF;
    PairwiseSolver solver(model, targets.rows, DynamicalOptions{});
    State state = rest_state(model);
    ASSERT_TRUE(usable(solver.step(targets, state)));
    Kinematics kinematics(model);
    kinematics.update(state);
    const double from = test::PlainPotential::value(targets, kinematics);
    InstantaneousSolver improve(model, targets.rows, DynamicalOptions{});
    targets.t = 2;
    ASSERT_TRUE(usable(improve.step(targets, state)));
    kinematics.update(state);
    const double to = test::PlainPotential::value(targets, kinematics);
    EXPECT_LE(to, from);
    pairs += from;
    whole += to;
  }
  std::printf("potential: pair-wise %.3f, whole body %.3f\n", pairs, whole);
  EXPECT_LT(whole, 0.95 * pairs);
}

}  // namespace
}  // namespace panto
