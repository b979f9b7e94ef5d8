// The modular solver as a whole: branches, limits, what is missing and what is at rest.

#include "panto/ik/modular.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <numbers>

#include "tests/support/solver_scenes.hpp"
#include "tests/support/test_data.hpp"

namespace panto {
namespace {

using Eigen::Vector3d;
using test::Random;

constexpr double kDegree = std::numbers::pi / 180.0;

// the direction of a link's x axis, against that of its target
double direction_error(const Model& model, const State& state, const Targets& targets, const char* link) {
  Kinematics kinematics(model);
  kinematics.update(state);
  const int index = model.link_index(link);
  for (const Target& row : targets.rows) {
    if (row.link != index) continue;
    const Vector3d u = row.R_WF.col(0), v = kinematics.R_WL(index).col(0);
    return std::atan2(u.cross(v).norm(), u.dot(v)) / kDegree;
  }
  return kInfinity;
}

Targets later(Targets targets, int k) {
  targets.t = frame_time(k, 50.0);
  return targets;
}

DynamicalOptions unlimited() {
  DynamicalOptions options;
  options.limits.law = LimitLaw::None;
  return options;
}

TEST(ModularSolver, MeetsAReachablePoseInOneStep) {
  const Model model = test::upper_body();
  Random random(1);
  double worst = 0.0;
  for (int i = 0; i < test::scaled(200); ++i) {
    const State goal = test::random_pose(model, random, 0.4);
    const Targets targets = later(test::observed(model, goal), 1);
    ModularSolver solver(model, targets.rows, unlimited());
    State state = goal;
    state.t = 0;
    for (int k = 0; k < model.dof(); ++k) state.s[k] += test::uniform(random, -0.2, 0.2);
    ASSERT_EQ(solver.step(targets, state), StepStatus::Solved);
    worst = std::max(worst, test::worst_angle(model, state, targets));
  }
  EXPECT_LT(worst, 1e-7);
}

TEST(ModularSolver, FindsAPoseFromNothingOnTheBranchInsideTheLimits) {
  const Model model = test::upper_body();
  Random random(2);
  for (int i = 0; i < test::scaled(200); ++i) {
    State goal = test::random_pose(model, random, 0.9);
    const Targets targets = test::observed(model, goal);
    ModularSolver solver(model, targets.rows, {});
    State state = rest_state(model);
    ASSERT_TRUE(solver.find_pose(targets, state));
    EXPECT_LE(test::beyond_limits(model, state), 1e-12);
    EXPECT_EQ(state.t, targets.t);
    EXPECT_LT((state.p_WB - goal.p_WB).norm(), 1e-9);
    EXPECT_EQ(state.sdot.norm(), 0.0);
    // both links of an arm point where they should; which way they are turned may need another step
    for (const char* link : {"left_upper_arm", "right_upper_arm", "left_forearm", "right_forearm"})
      EXPECT_LT(direction_error(model, state, targets, link), 1e-6) << link;
  }
}

TEST(ModularSolver, HoldsTheOtherLinksWhereTheyBelongWhenOneJointIsAtItsLimit) {
  // each module works in the frame that those before it have come to: what the waist cannot do the arms do
  const Model model = test::upper_body();
  State goal = rest_state(model);
  goal.s[model.joint_index("j_torso")] = 1.4;  // the limit is 1.1
  const Targets targets = test::observed(model, goal);
  ModularSolver solver(model, targets.rows, {});
  State state = rest_state(model);
  StepStatus status = StepStatus::Solved;
  for (int k = 1; k <= 100; ++k) status = solver.step(later(targets, k), state);
  EXPECT_EQ(status, StepStatus::Saturated);
  EXPECT_NEAR(state.s[model.joint_index("j_torso")], 1.1, 1e-12);
  EXPECT_NEAR(direction_error(model, state, targets, "torso"), 0.3 / kDegree, 1e-6);
  EXPECT_LT(direction_error(model, state, targets, "left_upper_arm"), 1e-6);
  EXPECT_LT(direction_error(model, state, targets, "left_forearm"), 1e-6);
}

TEST(ModularSolver, LeavesLimitsToOthersWhereItIsToldTo) {
  // for a motion that is scaled into its limits as a whole: beyond angles and speeds, without a word
  const Model model = test::upper_body();
  State goal = rest_state(model);
  const int elbow = model.joint_index("j_right_elbow");
  goal.s[elbow] = model.upper()[elbow] + 0.3;
  const Targets targets = later(test::observed(model, goal), 1);
  ModularSolver solver(model, targets.rows, unlimited());
  State state = rest_state(model);
  EXPECT_EQ(solver.step(targets, state), StepStatus::Solved);
  EXPECT_NEAR(state.s[elbow], goal.s[elbow], 1e-9);
  EXPECT_EQ(solver.last_report().active_bounds, 0);
}

TEST(ModularSolver, IsNotBoundByTheRangesThatChooseItsBranches) {
  // a pose that both branches leave is met where the nearer one has it, 0.3 rad beyond a range
  const Model model = test::upper_body();
  State goal = rest_state(model);
  const int elbow = model.joint_index("j_right_elbow");
  goal.s[elbow] = model.upper()[elbow] + 0.3;
  ModularOptions options;
  options.ranges = JointRanges{model.lower(), model.upper()};
  const Targets targets = test::observed(model, goal);
  ModularSolver solver(model, targets.rows, unlimited(), options);
  State state = rest_state(model);
  ASSERT_EQ(solver.step(later(targets, 1), state), StepStatus::Solved);
  EXPECT_NEAR(state.s[elbow], goal.s[elbow], 1e-9);
  EXPECT_EQ(solver.last_report().active_bounds, 0);
}

TEST(ModularSolver, IsNoFasterThanTheSpeedLimits) {
  const Model model = test::upper_body();
  State goal = rest_state(model);
  goal.s[model.joint_index("j_neck_1")] = 0.9;
  const Targets targets = later(test::observed(model, goal), 1);
  ModularSolver solver(model, targets.rows, {});
  State state = rest_state(model);
  EXPECT_EQ(solver.step(targets, state), StepStatus::Saturated);
  EXPECT_NEAR(state.s[model.joint_index("j_neck_1")], 15.0 * 0.02, 1e-12);
}

TEST(ModularSolver, TakesTheTwistOfAStraightArmFromTheUpperArm) {
  // a straight elbow's direction says nothing of the twist, the upper arm's orientation does
  ModelSpec spec = test::upper_body().spec();
  for (Joint& joint : spec.joints) joint.lower = -3.0, joint.upper = 3.0;
  const Model model(spec);
  State goal = rest_state(model);
  goal.s[model.joint_index("j_left_elbow")] = 0.0;
  goal.s[model.joint_index("j_left_upper_arm")] = -0.2;
  const Targets targets = later(test::observed(model, goal), 1);
  ModularSolver solver(model, targets.rows, unlimited());
  State state = goal;
  state.t = 0;
  state.s[model.joint_index("j_left_upper_arm")] = -1.0;
  ASSERT_EQ(solver.step(targets, state), StepStatus::Solved);
  EXPECT_LT(test::worst_angle(model, state, targets), 1e-9);
}

TEST(ModularSolver, ReturnsToRestWhatNoRowTellsAndHoldsWhatIsMissing) {
  const Model model = test::upper_body();
  State goal = rest_state(model);
  Targets targets = test::observed(model, goal);
  const int head = model.link_index("head"), hand = model.link_index("left_hand");
  std::erase_if(targets.rows, [&](const Target& row) { return row.link == head; });
  for (Target& row : targets.rows) {
    if (row.link == hand) row.has_orientation = false;
  }
  ModularSolver solver(model, targets.rows, {});
  State state = goal;
  const int neck = model.joint_index("j_neck_1"), wrist = model.joint_index("j_left_hand");
  state.s[neck] = state.s[wrist] = 0.5;
  for (int k = 1; k <= 250; ++k) ASSERT_TRUE(usable(solver.step(later(targets, k), state)));
  EXPECT_NEAR(state.s[neck], 0.5 * std::exp(-5.0), 1e-9) << "1/s towards rest";
  EXPECT_EQ(state.s[wrist], 0.5);
}

TEST(ModularSolver, SaysTheRatesOfTheInstantWhereTheyAreMeasured) {
  for (const ModularLaw law : {ModularLaw::DriftFree, ModularLaw::Rates}) {
    const Model model = test::upper_body();
    Random random(5);
    test::SmoothMotion motion(model, random, 0.4);
    Targets targets = test::observed(model, motion.at_time(0));
    ModularOptions options;
    options.law = law;
    options.epsilon = 0.0;
    ModularSolver solver(model, targets.rows, {}, options);
    State state = motion.at_time(0);
    solver.prime(targets);
    double worst = 0.0;
    for (int k = 1; k <= 200; ++k) {
      const State& truth = motion.at_time(frame_time(k, 200.0));
      test::observe(model, truth, targets);
      ASSERT_TRUE(usable(solver.step(targets, state)));
      worst = std::max(worst, (state.sdot - truth.sdot).cwiseAbs().maxCoeff());
    }
    EXPECT_LT(worst, law == ModularLaw::DriftFree ? 1e-6 : 0.2) << "rad/s";
    State found = state;
    found.sdot.setZero();
    solver.set_velocities(targets, found);
    EXPECT_LT((found.sdot - state.sdot).cwiseAbs().maxCoeff(), 1e-9);
  }
}

TEST(ModularSolver, FollowsBySeparateSamplesWhatTheOtherLawFollowsByRates) {
  // 60 Hz, exact rates: what each law makes of a moving body
  for (const auto& [law, most] : {std::pair{ModularLaw::DriftFree, 1e-4}, {ModularLaw::Rates, 2.0}}) {
    const Model model = human66();
    Random random(6);
    test::SmoothMotion motion(model, random, 0.5);
    Targets targets = test::observed(model, motion.at_time(0));
    ModularOptions options;
    options.law = law;
    ModularSolver solver(model, targets.rows, {}, options);
    State state = motion.at_time(0);
    solver.prime(targets);
    double worst = 0.0;
    for (int k = 1; k <= 240; ++k) {
      test::observe(model, motion.at_time(frame_time(k, 60.0)), targets);
      ASSERT_TRUE(usable(solver.step(targets, state)));
      worst = std::max(worst, test::worst_angle(model, state, targets) / kDegree);
    }
    std::printf("%s: largest error %.2e deg\n", law == ModularLaw::Rates ? "rates" : "drift-free", worst);
    EXPECT_LT(worst, most);
  }
}

TEST(ModularSolver, GivesTheSameAnglesWithCareAsAtOnce) {
  // a step looks at the bounds of all joints at once, and begins anew with care where one is near its own. A
  // neck that hardly may move makes every step one with care, and has no part in where the arms go
  ModelSpec spec = test::upper_body().spec();
  const Model model(spec);
  const int neck = model.joint_index("j_neck_1");
  for (Joint& joint : spec.joints)
    if (joint.name == "j_neck_1") joint.velocity = 1e-6;
  const Model slow_necked(spec);
  Random random(7);
  int at_once = 0, with_care = 0, steps = 0;
  double worst_angle = 0.0, worst_rate = 0.0;
  for (int i = 0; i < test::scaled(50); ++i) {
    test::SmoothMotion motion(model, random, 0.6);
    State one = motion.at_time(0), other = one;
    Targets targets = test::observed(model, one);
    ModularSolver solver(model, targets.rows, {}), careful(slow_necked, targets.rows, {});
    solver.prime(targets);
    careful.prime(targets);
    for (int k = 1; k <= 200; ++k, ++steps) {
      test::observe(model, motion.at_time(frame_time(k, 100.0)), targets);
      ASSERT_TRUE(usable(solver.step(targets, one)));
      ASSERT_TRUE(usable(careful.step(targets, other)));
      at_once += solver.last_report().active_bounds == 0 ? 1 : 0;
      with_care += careful.last_report().active_bounds > 0 ? 1 : 0;
      for (int j = 0; j < model.dof(); ++j) {
        if (j == neck) continue;
        worst_angle = std::max(worst_angle, std::abs(one.s[j] - other.s[j]));
        worst_rate = std::max(worst_rate, std::abs(one.sdot[j] - other.sdot[j]));
      }
    }
  }
  std::printf("%d of %d steps at once, %d of %d with care: %.1e rad, %.1e rad/s apart\n", at_once, steps,
              with_care, steps, worst_angle, worst_rate);
  EXPECT_GT(at_once, steps / 2) << "most steps of one are those that the other is compared with";
  EXPECT_GT(with_care, steps - steps / 100);
  EXPECT_LT(worst_angle, 1e-12);  // rounding of the arc tangents
  EXPECT_LT(worst_rate, 1e-9);
}

TEST(ModularSolver, RefusesOptionsOutOfRangeByName) {
  const Model model = human66();
  const std::vector<Target> rows = test::all_rows(model);
  const auto reason = [&](const ModularOptions& options) -> std::string {
    try {
      ModularSolver solver(model, rows, {}, options);
    } catch (const ConfigError& error) {
      return error.what();
    }
    return "accepted";
  };
  ModularOptions options;
  options.epsilon = -1.0;
  EXPECT_NE(reason(options).find("'modular.epsilon' is -1"), std::string::npos);
  options = {};
  options.outer = options.inner;
  EXPECT_NE(reason(options).find("must be > modular.inner"), std::string::npos);
  options = {};
  options.gain = std::nan("");
  EXPECT_NE(reason(options).find("'modular.gain'"), std::string::npos);
  options = {};
  options.ranges = JointRanges{Eigen::VectorXd::Zero(2), Eigen::VectorXd::Ones(2)};
  EXPECT_NE(reason(options).find("'modular.ranges'"), std::string::npos);
  EXPECT_NE(reason(options).find("66 joints"), std::string::npos);
  EXPECT_EQ(reason({}), "accepted");
}

}  // namespace
}  // namespace panto
