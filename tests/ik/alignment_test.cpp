#include "panto/ik/alignment.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <numbers>

#include "apps/support/allocation_count.hpp"
#include "panto/math/so3.hpp"
#include "panto/model/human.hpp"
#include "panto/model/kinematics.hpp"
#include "tests/support/random_model.hpp"
#include "tests/support/test_data.hpp"

namespace panto {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

constexpr double kPi = std::numbers::pi;
constexpr double kDegree = kPi / 180.0;

// orientations of all links that have mass, and the base's position
Targets targets_at(const Model& model, const State& state) {
  Kinematics kinematics(model);
  kinematics.update(state);
  Targets targets;
  targets.t = 7;
  for (int link = 0; link < model.link_count(); ++link) {
    if (model.links()[static_cast<std::size_t>(link)].mass <= 0.0) continue;
    Target row;
    row.link = link;
    row.position_weight = model.frame(link).body == 0 ? 25.0 : 0.0;
    row.R_WF = kinematics.R_WL(link);
    row.p_WF = kinematics.p_WL(link);
    row.has_orientation = true;
    row.has_position = row.position_weight > 0.0;
    targets.rows.push_back(row);
  }
  return targets;
}

// the cost of the documentation, by angles: 1 - cos would drown in rounding
double cost(const Model& model, const Targets& targets, const State& state) {
  Kinematics kinematics(model);
  kinematics.update(state);
  double sum = 0.0;
  for (const Target& row : targets.rows) {
    if (row.has_orientation && row.orientation_weight > 0.0) {
      const double half = std::sin(0.5 * so3::distance(row.R_WF, kinematics.R_WL(row.link)));
      sum += row.orientation_weight * 2.0 * half * half;
    }
    if (row.has_position && row.position_weight > 0.0)
      sum += 0.5 * row.position_weight * (row.p_WF - kinematics.p_WL(row.link)).squaredNorm();
  }
  return sum;
}

State random_pose(const Model& model, test::Random& random) {
  State state = rest_state(model);
  state.p_WB = test::random_vector(random, 2.0);
  state.R_WB = test::random_rotation(random);
  for (int i = 0; i < model.dof(); ++i)
    state.s[i] = test::uniform(random, std::max(model.lower()[i], -kPi), std::min(model.upper()[i], kPi));
  return state;
}

bool inside(const Model& model, const State& state) {
  return (state.s.array() >= model.lower().array()).all() && (state.s.array() <= model.upper().array()).all();
}

Model hinge(double lower, double upper, const Vector3d& axis) {
  ModelSpec spec;
  spec.name = "hinge";
  spec.floating_base = false;
  spec.links = {{"base"}, {"arm", 1.0}};
  Joint joint;
  joint.name = "hinge";
  joint.type = JointType::Revolute;
  joint.parent = "base";
  joint.child = "arm";
  joint.axis = axis;
  joint.lower = lower;
  joint.upper = upper;
  spec.joints = {joint};
  return Model(spec);
}

TEST(Aligner, FindsEveryPoseOfTheFreeHumanFromAnywhere) {
  const Model model = human66();
  test::Random random(1);
  double worst = 0.0;
  for (int i = 0; i < test::scaled(100); ++i) {
    const Targets targets = targets_at(model, random_pose(model, random));
    State state = random_pose(model, random);
    Aligner aligner(model, targets.rows, DynamicalOptions{});
    aligner.align(targets, state);
    ASSERT_TRUE(is_valid(state, model));
    worst = std::max(worst, cost(model, targets, state));
  }
  EXPECT_LT(worst, 1e-20);  // the closed form is exact: every angle below 1e-10
}

TEST(Aligner, SetsVelocitiesToZeroAndTakesTheTargetsStamp) {
  const Model model = human66();
  test::Random random(2);
  State state = test::random_state(model, random);
  const Targets targets = targets_at(model, random_pose(model, random));
  Aligner aligner(model, targets.rows, DynamicalOptions{});
  aligner.align(targets, state);
  EXPECT_EQ(state.t, 7);
  EXPECT_EQ(state.v_WB.norm() + state.w_WB.norm() + state.sdot.norm(), 0.0);
}

TEST(Aligner, TheStateOnlyChoosesTheBranchOfTheFreeHuman) {
  const Model model = human66();
  test::Random random(3);
  const Targets targets = targets_at(model, random_pose(model, random));
  Aligner aligner(model, targets.rows, DynamicalOptions{});
  State near = rest_state(model), far = near;
  aligner.align(targets, near);
  far.s = near.s;
  far.s[10] += 4.0 * kPi;  // two turns on: stays there
  State again = far;
  aligner.align(targets, again);
  EXPECT_LT((again.s - far.s).cwiseAbs().maxCoeff(), 1e-9);
}

TEST(Aligner, FindsReachablePosesOfTheLimitedHuman) {
  // poses made by forward kinematics: the best cost there is is zero, so whoever reaches zero is not beaten
  // by any number of restarts
  const Model model = human48();
  test::Random random(4);
  int found = 0;
  const int poses = test::scaled(300);
  for (int i = 0; i < poses; ++i) {
    const Targets targets = targets_at(model, random_pose(model, random));
    State state = random_pose(model, random);
    Aligner aligner(model, targets.rows, DynamicalOptions{});
    aligner.align(targets, state);
    ASSERT_TRUE(inside(model, state));
    const double value = cost(model, targets, state);
    found += value < 1e-9 ? 1 : 0;
    if (value >= 1e-9) std::printf("pose %d: cost %.3e\n", i, value);
  }
  const double share = static_cast<double>(found) / poses;
  std::printf("human48: %d of %d random reachable poses found (%.1f %%)\n", found, poses, 100.0 * share);
  EXPECT_GE(share, 0.95);
}

TEST(Aligner, DoesNotDependOnTheStateInTheLimitedHuman) {
  // link orientations after alignment, from 20 starts each, to poses that Human48 cannot reach
  const Model model = human48(), free = human66();
  test::Random random(5);
  Kinematics a(model), b(model);
  double worst = 0.0;
  for (int i = 0; i < test::scaled(10); ++i) {
    State pose = rest_state(free);
    for (double& angle : pose.s) angle = test::uniform(random, -0.6, 0.6);
    const Targets wanted = targets_at(free, pose);
    Targets targets = wanted;
    for (Target& row : targets.rows)
      row.link = model.link_index(free.link_names()[static_cast<std::size_t>(row.link)]);
    Aligner aligner(model, targets.rows, DynamicalOptions{});
    State first = rest_state(model);
    aligner.align(targets, first);
    a.update(first);
    for (int start = 0; start < 20; ++start) {
      State state = random_pose(model, random);
      aligner.align(targets, state);
      ASSERT_TRUE(inside(model, state));
      b.update(state);
      for (const Target& row : targets.rows)
        worst = std::max(worst, so3::distance(a.R_WL(row.link), b.R_WL(row.link)));
    }
  }
  EXPECT_LT(worst, 0.1 * kDegree);
}

TEST(Aligner, TurnsAHalfTurnWhereEveryGradientVanishes) {
  const Model model = human66();
  test::Random random(6);
  for (int k = 0; k < 3; ++k) {
    // the whole body turned by 180 degrees, exactly, and so is every link in its parent
    State pose = rest_state(model);
    pose.R_WB = so3::about_axis(k, kPi);
    for (int i = k; i < model.dof(); i += 3) pose.s[i] = kPi;
    const Targets targets = targets_at(model, pose);
    State state = rest_state(model);
    Aligner aligner(model, targets.rows, DynamicalOptions{});
    aligner.align(targets, state);
    EXPECT_LT(cost(model, targets, state), 1e-20) << k;
  }
}

TEST(Aligner, GivesASingleHingeTheBestAngleInsideItsLimits) {
  test::Random random(7);
  for (int i = 0; i < test::scaled(300); ++i) {
    const double lower = test::uniform(random, -3.0, 0.0), upper = lower + test::uniform(random, 0.1, 3.0);
    const Model model = hinge(lower, upper, test::random_direction(random));
    Targets targets = targets_at(model, rest_state(model));
    for (Target& row : targets.rows) row.position_weight = 0.0;
    ASSERT_EQ(targets.rows.size(), 1U);
    targets.rows[0].R_WF = test::random_rotation(random);
    State state = rest_state(model);
    state.s[0] = test::uniform(random, lower, upper);
    Aligner aligner(model, targets.rows, DynamicalOptions{});
    aligner.align(targets, state);
    ASSERT_TRUE(inside(model, state));
    const double value = cost(model, targets, state);
    for (int k = 0; k <= 300; ++k) {
      State trial = state;
      trial.s[0] = lower + (upper - lower) * k / 300.0;
      ASSERT_LE(value, cost(model, targets, trial) + 1e-9)
          << "at " << trial.s[0] << " in place of " << state.s[0];
    }
  }
}

TEST(Aligner, FindsTheBaseThroughTheOthersWhenItsOwnTargetIsMissing) {
  test::Random random(8);
  double worst66 = 0.0, worst48 = 0.0;
  for (int i = 0; i < test::scaled(40); ++i) {
    for (const bool free : {true, false}) {
      const Model model = free ? human66() : human48();
      State pose = random_pose(model, random);
      if (!free) pose.s = 0.3 * pose.s + 0.7 * model.rest();
      Targets targets = targets_at(model, pose);
      targets.rows[0].has_orientation = targets.rows[0].has_position = false;
      State state = rest_state(model);
      Aligner aligner(model, targets.rows, DynamicalOptions{});
      aligner.align(targets, state);
      ASSERT_TRUE(is_valid(state, model));
      ASSERT_TRUE(inside(model, state));
      double& worst = free ? worst66 : worst48;
      worst = std::max(worst, cost(model, targets, state));
    }
  }
  std::printf("missing base: worst cost human66 %.1e, human48 %.1e\n", worst66, worst48);
  EXPECT_LT(worst66, 1e-12);
  EXPECT_LT(worst48, 1e-6);
}

TEST(Aligner, LeavesAFixedBaseWhereItIs) {
  ModelSpec spec = human66().spec();
  spec.floating_base = false;
  const Model model(spec);
  test::Random random(9);
  State pose = random_pose(model, random);
  Targets targets = targets_at(model, pose);
  State state = random_pose(model, random);
  state.R_WB = pose.R_WB;
  state.p_WB = pose.p_WB;
  targets.rows[0].R_WF = test::random_rotation(random);  // what is asked of the base cannot be had
  targets.rows[0].p_WF += Vector3d(1.0, 2.0, 3.0);
  Aligner aligner(model, targets.rows, DynamicalOptions{});
  aligner.align(targets, state);
  EXPECT_EQ(state.p_WB, pose.p_WB);
  EXPECT_LT((state.R_WB - pose.R_WB).cwiseAbs().maxCoeff(), 1e-14);
  targets.rows[0].has_orientation = targets.rows[0].has_position = false;
  EXPECT_LT(cost(model, targets, state), 1e-20);
}

TEST(Aligner, KeepsWhatNoTargetDetermines) {
  const Model model = human66();
  test::Random random(10);
  Targets targets = targets_at(model, random_pose(model, random));
  for (Target& row : targets.rows) {
    // a lost hand and nothing of the position
    if (model.links()[static_cast<std::size_t>(row.link)].name == "RightHand") row.has_orientation = false;
    row.has_position = false;
  }
  State state = random_pose(model, random);
  const State before = state;
  Aligner aligner(model, targets.rows, DynamicalOptions{});
  aligner.align(targets, state);
  EXPECT_EQ(state.p_WB, before.p_WB);
  for (const char axis : {'x', 'y', 'z'}) {
    const int dof = model.joint_index(std::string("jRightWrist_rot") + axis);
    EXPECT_NEAR(state.s[dof], before.s[dof], 1e-9);
  }
  EXPECT_LT(cost(model, targets, state), 1e-20);
}

TEST(Aligner, GivesTheSameBitsEveryTime) {
  const Model model = human48();
  test::Random random(11);
  const Targets targets = targets_at(model, random_pose(model, random));
  const State start = random_pose(model, random);
  Aligner first(model, targets.rows, DynamicalOptions{}), second(model, targets.rows, DynamicalOptions{});
  State a = start, b = start, c = start;
  first.align(targets, a);
  second.align(targets, b);
  first.align(targets, c);  // nothing of an earlier alignment is left in it
  EXPECT_EQ(state_hash(a), state_hash(b));
  EXPECT_EQ(state_hash(a), state_hash(c));
}

TEST(Aligner, DoesNotAllocate) {
  if (!AllocationCount::available()) GTEST_SKIP() << "the sanitizer owns malloc";
  const Model model = human48();
  test::Random random(12);
  const Targets targets = targets_at(model, random_pose(model, random));
  Aligner aligner(model, targets.rows, DynamicalOptions{});
  State state = random_pose(model, random);
  const AllocationCount count;
  aligner.align(targets, state);
  EXPECT_EQ(count.value(), 0);
}

// Poses that a human with limits can take, not far from rest.
State pose_near_rest(const Model& model, test::Random& random) {
  State state = rest_state(model);
  for (int i = 0; i < model.dof(); ++i)
    state.s[i] =
        std::clamp(state.s[i] + test::uniform(random, -0.7, 0.7), model.lower()[i], model.upper()[i]);
  state.R_WB = test::random_rotation(random);
  state.p_WB = test::random_vector(random, 2.0);
  return state;
}

DynamicalOptions led_from_rest() {
  DynamicalOptions options;
  options.align_steps = 12;
  return options;
}

TEST(Aligner, IsLedFromRestToAPoseThatCanBeMetWhateverTheState) {
  const Model model = human48();
  test::Random random(21);
  for (int k = 0; k < test::scaled(20); ++k) {
    const Targets targets = targets_at(model, pose_near_rest(model, random));
    Aligner aligner(model, targets.rows, led_from_rest());
    State state = random_pose(model, random), other = random_pose(model, random);
    aligner.align(targets, state);
    aligner.align(targets, other);
    ASSERT_TRUE(inside(model, state));
    EXPECT_LT(cost(model, targets, state), 1e-12) << k;
    // joints do not depend on the given state; the base only by rounding, since its start is
    EXPECT_LT((state.s - other.s).cwiseAbs().maxCoeff(), 1e-6) << k;
    EXPECT_LT(so3::distance(state.R_WB, other.R_WB), 1e-6) << k;
    EXPECT_LT((state.p_WB - other.p_WB).norm(), 1e-6) << k;
    EXPECT_EQ(state.sdot.norm() + state.w_WB.norm() + state.v_WB.norm(), 0.0);
  }
}

TEST(Aligner, LedFromRestDoesNotAllocate) {
  if (!AllocationCount::available()) GTEST_SKIP() << "the sanitizer owns malloc";
  const Model model = human48();
  test::Random random(22);
  DynamicalOptions options = led_from_rest();
  options.align_starts = 4;
  const Targets targets = targets_at(model, random_pose(model, random));
  Aligner aligner(model, targets.rows, options);
  State state = random_pose(model, random);
  const AllocationCount count;
  aligner.align(targets, state);
  EXPECT_EQ(count.value(), 0);
}

TEST(Aligner, SaysThatAnotherPoseWouldBeAboutAsGood) {
  const Model model = human48();
  test::Random random(24);
  DynamicalOptions options = led_from_rest();
  options.align_starts = 16;
  int ambiguous = 0;
  for (int k = 0; k < test::scaled(20); ++k) {
    const Targets clear = targets_at(model, pose_near_rest(model, random));
    Aligner aligner(model, clear.rows, options);
    State state = rest_state(model);
    aligner.align(clear, state);
    EXPECT_FALSE(aligner.ambiguous()) << k << ": all is met, and only in one way";

    Targets contradictory = clear;
    for (Target& row : contradictory.rows) row.R_WF = test::random_rotation(random);
    aligner.align(contradictory, state);
    ambiguous += aligner.ambiguous() ? 1 : 0;
    ASSERT_TRUE(inside(model, state));
  }
  // limbs that are asked for what they cannot do have many poses that are about as bad
  EXPECT_GT(ambiguous, 0);
}

TEST(Aligner, RefusesStepsThatAreNotANumberOfSteps) {
  const Model model = human48();
  DynamicalOptions options;
  options.align_steps = -1;
  EXPECT_THROW(Aligner(model, {}, options), ConfigError);
}

TEST(Aligner, StaysFiniteInsideLimitsAndValidOnRandomModels) {
  for (int seed = 0; seed < test::scaled(60); ++seed) {
    test::RandomModelOptions options;
    options.max_joints = 40;
    const Model model = test::random_model(static_cast<std::uint64_t>(seed), options);
    test::Random random(static_cast<std::uint64_t>(seed));
    Targets targets = targets_at(model, test::random_state(model, random));
    if (targets.rows.empty()) continue;
    if (seed % 3 == 0) {
      for (Target& row : targets.rows) row.R_WF = test::random_rotation(random);  // contradictory
    }
    State state = test::random_state(model, random);
    Aligner aligner(model, targets.rows, DynamicalOptions{});
    aligner.align(targets, state);
    ASSERT_TRUE(is_valid(state, model)) << seed;
    ASSERT_TRUE(inside(model, state)) << seed;
  }
}

}  // namespace
}  // namespace panto
