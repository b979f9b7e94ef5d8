// size: all tests of one header, by the rule of three places
#include "panto/ik/dynamical.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "apps/support/allocation_count.hpp"
#include "panto/base/index.hpp"
#include "panto/ik/target_velocity.hpp"
#include "panto/math/so3.hpp"
#include "panto/model/human.hpp"
#include "panto/model/kinematics.hpp"
#include "panto/targets/attachments.hpp"
#include "panto/tree_qp/active_set.hpp"
#include "tests/support/human_targets.hpp"
#include "tests/support/random_model.hpp"
#include "tests/support/solver_scenes.hpp"
#include "tests/support/test_data.hpp"

namespace panto {
namespace {

using enum HumanSegment::Index;

using test::human_links;
using test::random_human_state;
using test::settling_targets;
using test::targets_at;

constexpr double kDegree = std::numbers::pi / 180.0;

double worst_angle(const Model& model, const State& state, const Targets& targets) {
  Kinematics kinematics(model);
  kinematics.update(state);
  double worst = 0.0;
  for (const Target& row : targets.rows)
    worst = std::max(worst, so3::distance(row.R_WF, kinematics.R_WL(row.link)));
  return worst;
}

Model single_link() {
  ModelSpec spec;
  spec.name = "free body";
  spec.links = {{"body"}};
  return Model(spec);
}

TEST(OrientationResidual, IsTheAxisTimesTheSineOfTheAngleInWorldAxes) {
  test::Random random(1);
  for (int i = 0; i < 200; ++i) {
    const Eigen::Matrix3d R = test::random_rotation(random);
    const Eigen::Vector3d u = test::random_direction(random);
    const double angle = test::uniform(random, 0.0, 2.6);
    const Eigen::Vector3d r = orientation_residual(so3::exp(angle * u) * R, R);
    EXPECT_LT((r - std::sin(angle) * u).norm(), 1e-12);
  }
}

TEST(OrientationResidual, KeepsALengthNearAHalfTurn) {
  const Eigen::Vector3d u = Eigen::Vector3d{1.0, 2.0, -0.5}.normalized();
  for (const double angle : {2.7, 3.0, 3.14159, std::numbers::pi}) {
    const Eigen::Vector3d r = orientation_residual(so3::exp(angle * u), Eigen::Matrix3d::Identity());
    EXPECT_NEAR(r.norm(), 0.5, 1e-9);
    EXPECT_NEAR(std::abs(r.normalized().dot(u)), 1.0, 1e-7);
  }
}

TEST(DynamicalSolver, FollowsTheClosedFormOfASingleBody) {
  // theory, section 1.2: tan(theta/2)(t) = tan(theta0/2) e^(-K t) in continuous time, with the K-effective
  // step 4 % at K dt = 0.1, 0.7 % at 0.02
  const Model model = single_link();
  for (const auto& [dt, tolerance] : {std::pair{0.005, 0.04}, {0.001, 0.007}}) {
    Targets targets = targets_at(model, rest_state(model), {0});
    DynamicalSolver solver(model, targets.rows, DynamicalOptions{});
    State state = rest_state(model);
    const double start = 86.0 * kDegree;  // as the arms in A-1
    state.R_WB = so3::exp(start * Eigen::Vector3d{1.0, 1.0, 0.3}.normalized());
    for (int k = 1; k * dt * 20.0 < 5.0; ++k) {
      targets.t = from_seconds(k * dt);
      ASSERT_TRUE(usable(solver.step(targets, state)));
      const double expected = 2.0 * std::atan(std::tan(0.5 * start) * std::exp(-20.0 * k * dt));
      ASSERT_NEAR(so3::angle(state.R_WB), expected, tolerance * expected) << "K t = " << 20.0 * k * dt;
    }
  }
}

TEST(DynamicalSolver, ConvergesForLinkPairsAtAnyWorldAttitude) {
  // the printed residual (link axes) fails from about 90 degrees of world attitude; 135 and 180 must be among
  // these (theory, section 1.1)
  const Model model = single_link();
  test::Random random(2);
  for (int i = 0; i < 400; ++i) {
    const double attitude = i % 4 == 0   ? 135.0 * kDegree
                            : i % 4 == 1 ? std::numbers::pi
                                         : test::uniform(random, 0.0, std::numbers::pi);
    State goal = rest_state(model);
    goal.R_WB = so3::exp(attitude * test::random_direction(random));
    Targets targets = targets_at(model, goal, {0});
    DynamicalSolver solver(model, targets.rows, DynamicalOptions{});
    State state = rest_state(model);
    state.R_WB = test::random_rotation(random);
    if (i % 8 == 3)
      state.R_WB =
          so3::exp(std::numbers::pi * test::random_direction(random)) * goal.R_WB;  // exactly opposite
    for (int k = 1; k <= 50; ++k) {
      targets.t = frame_time(k, 50.0);
      ASSERT_TRUE(usable(solver.step(targets, state)));
    }
    EXPECT_LT(so3::distance(state.R_WB, goal.R_WB), 0.01 * kDegree)
        << "pair " << i << ", attitude " << attitude / kDegree;
  }
}

TEST(DynamicalSolver, ConvergesForAnyPairOfAttitudes) {
  // random attitudes of link and target, K = 10, 5 s at 50 Hz; experiments/a7_frame_regression.py shows
  // what becomes of the printed law
  const Model model = single_link();
  test::Random random(7);
  const int count = test::scale() >= 10.0 ? 1'000'000 : test::scaled_numerical(4000);
  DynamicalOptions options;
  options.orientation_gain = 10.0;
  Targets targets = targets_at(model, rest_state(model), {0});
  for (Target& row : targets.rows) row.orientation_gain = options.orientation_gain;
  DynamicalSolver solver(model, targets.rows, options);
  State state = rest_state(model);
  double worst = 0.0;
  std::int64_t frame = 0;
  for (int i = 0; i < count; ++i) {
    state.R_WB = test::random_rotation(random);
    targets.rows[0].R_WF = test::random_rotation(random);
    targets.t = state.t;
    solver.prime(targets);
    for (int k = 0; k < 250; ++k) {
      targets.t = frame_time(++frame, 50.0);
      ASSERT_TRUE(usable(solver.step(targets, state)));
    }
    worst = std::max(worst, so3::distance(state.R_WB, targets.rows[0].R_WF));
  }
  std::printf("worst of %d pairs: %.1e deg\n", count, worst / kDegree);
  EXPECT_LT(worst, 0.01 * kDegree);
}

TEST(DynamicalSolver, ConvergesFromRandomStartsToRandomPosesOfTheHuman) {
  // K = 20, 50 Hz, no alignment
  const Model model = human66();
  const std::vector<int> links = human_links(model);
  test::Random random(3);
  const int count = test::scaled_numerical(10000);
  int within_one_second = 0, within_three = 0;
  for (int i = 0; i < count; ++i) {
    Targets targets = targets_at(model, random_human_state(model, random), links);
    DynamicalSolver solver(model, targets.rows, DynamicalOptions{});
    State state = random_human_state(model, random);
    bool first = false;
    for (int k = 1; k <= 150; ++k) {
      targets.t = frame_time(k, 50.0);
      ASSERT_TRUE(usable(solver.step(targets, state)));
      if (k == 50) first = worst_angle(model, state, targets) < 0.01 * kDegree;
      if (k == 50 && first) break;
    }
    within_one_second += first ? 1 : 0;
    within_three += worst_angle(model, state, targets) < 0.01 * kDegree ? 1 : 0;
  }
  std::printf("%d of %d within 1 s, %d within 3 s\n", within_one_second, count, within_three);
  EXPECT_GE(within_one_second, static_cast<int>(0.99 * count));
  EXPECT_EQ(within_three, count);
}

TEST(DynamicalSolver, GivesAFoundPoseTheVelocitiesOfItsInstant) {
  test::Random random(11);
  for (const Model& model : {human66(), human48()}) {
    State truth = random_human_state(model, random);
    for (int i = 0; i < model.dof(); ++i) truth.sdot[i] = test::uniform(random, -2.0, 2.0);
    truth.v_WB = test::random_vector(random, 1.0);
    truth.w_WB = test::random_vector(random, 2.0);
    const Targets targets = targets_at(model, truth, human_links(model));
    DynamicalSolver solver(model, targets.rows, DynamicalOptions{});
    State state = truth;
    state.sdot.setZero();
    state.v_WB.setZero();
    state.w_WB.setZero();
    solver.set_velocities(targets, state);
    Kinematics kinematics(model), expected(model);
    kinematics.update_with_velocities(state);
    expected.update_with_velocities(truth);
    // 0.1 rad/s: what the damping of a triple near its singularity may take
    for (const int link : human_links(model))
      EXPECT_LT((kinematics.w_WL(link) - expected.w_WL(link)).norm(), 0.1) << model.name();
    EXPECT_LT((state.v_WB - truth.v_WB).norm(), 1e-9);
    EXPECT_EQ((state.s - truth.s).norm(), 0.0) << "the pose stays";
  }
}

TEST(DynamicalSolver, DoesNotMoveWhenItIsWhereItShouldBe) {
  const Model model = human48();
  test::Random random(4);
  State state = random_human_state(model, random);
  Targets targets = targets_at(model, state, human_links(model));
  DynamicalSolver solver(model, targets.rows, DynamicalOptions{});
  const State before = state;
  for (int k = 1; k <= 20; ++k) {
    targets.t = frame_time(k, 50.0);
    ASSERT_TRUE(usable(solver.step(targets, state)));
  }
  EXPECT_LT((state.s - before.s).cwiseAbs().maxCoeff(), 1e-9);
}

TEST(DynamicalSolver, PublishesNoVelocityOfARobotThatStandsStillShortOfItsTargets) {
  // Corrections that hold each other in balance, and the pull to rest, are no motion. Every second row has a
  // measured rate, as hands have whose places are a robot's own.
  test::Random random(12);
  const Model model = test::small_robot();
  for (int episode = 0; episode < 10; ++episode) {
    Targets targets = test::observed(model, test::random_pose(model, random, 1.0));
    for (std::size_t j = 0; j < targets.rows.size(); ++j) {
      Target& row = targets.rows[j];
      row.R_WF = so3::exp(test::random_vector(random, 0.4)) * row.R_WF;
      row.p_WF += test::random_vector(random, 0.1);
      row.has_angular_velocity = row.has_linear_velocity = j % 2 == 0;  // zero
    }
    DynamicalOptions options;
    options.damping.residual = 0.5;  // a robot's, which brings it to rest
    DynamicalSolver solver(model, targets.rows, options);
    State state = rest_state(model), before = state;
    for (int k = 1; k <= 400; ++k) {
      targets.t = frame_time(k, 50.0);
      before = state;
      ASSERT_TRUE(usable(solver.step(targets, state)));
    }
    ASSERT_LT((state.s - before.s).cwiseAbs().maxCoeff(), 1e-4) << "it stands";
    EXPECT_LT(state.sdot.cwiseAbs().maxCoeff(), 1e-9) << episode;
    EXPECT_LT(state.v_WB.norm() + state.w_WB.norm(), 1e-9) << episode;
  }
}

// what is measured of one link at rest at the origin but for its turn about x, at a constant rate
Targets turning(double t, double rate, bool with_rate) {
  Targets targets;
  targets.t = from_seconds(t);
  targets.rows.resize(1);
  Target& row = targets.rows[0];
  row.R_WF = so3::exp({rate * t, 0.0, 0.0});
  row.w_WF = {rate, 0.0, 0.0};
  row.has_orientation = true;
  row.has_angular_velocity = with_rate;
  return targets;
}

TEST(DynamicalSolver, DifferencesPosesOverIntervalsThatAreTooLongForRates) {
  // 0.09 s lie between max_extrapolation and max_interval: both ends are known, nothing is extrapolated
  const Model model = single_link();
  for (const double dt : {0.02, 0.049, 0.051, 0.09}) {
    DynamicalSolver solver(model, turning(0.0, 5.0, true).rows, DynamicalOptions{});
    State state = rest_state(model);
    solver.prime(turning(0.0, 5.0, true));
    for (int k = 1; k <= 10; ++k) {
      const Targets targets = turning(k * dt, 5.0, true);
      ASSERT_EQ(solver.step(targets, state), StepStatus::Solved);
      EXPECT_LT(so3::distance(state.R_WB, targets.rows[0].R_WF), 1e-12) << "dt = " << dt;
    }
  }
}

TEST(DynamicalSolver, DifferencesPosesWhereOnlyOneEndOfTheIntervalHasARate) {
  // the motion starts from rest: the rate at the end is twice the interval's mean
  const Model model = single_link();
  Targets before = turning(0.0, 5.0, false), now = turning(0.02, 5.0, true);
  now.rows[0].w_WF *= 2.0;
  DynamicalSolver solver(model, before.rows, DynamicalOptions{});
  State state = rest_state(model);
  solver.prime(before);
  ASSERT_EQ(solver.step(now, state), StepStatus::Solved);
  EXPECT_LT(so3::distance(state.R_WB, now.rows[0].R_WF), 1e-12);
  EXPECT_NEAR(state.w_WB[0], 10.0, 1e-9);  // published: the rate at the end
}

TEST(DynamicalSolver, TurnsWithTheWorld) {
  // rotating the world (all targets and the base) leaves the joints as they are: catches every mix-up of axes
  const Model model = human66();
  const std::vector<int> links = human_links(model);
  test::Random random(5);
  const Eigen::Matrix3d Q = test::random_rotation(random);
  State here = random_human_state(model, random), there = here;
  there.R_WB = Q * here.R_WB;
  there.p_WB = Q * here.p_WB;
  Targets targets = targets_at(model, random_human_state(model, random), links), turned = targets;
  for (Target& row : turned.rows) {
    row.R_WF = Q * row.R_WF;
    row.p_WF = Q * row.p_WF;
  }
  DynamicalSolver a(model, targets.rows, DynamicalOptions{}), b(model, targets.rows, DynamicalOptions{});
  for (int k = 1; k <= 30; ++k) {
    targets.t = turned.t = frame_time(k, 50.0);
    ASSERT_TRUE(usable(a.step(targets, here)));
    ASSERT_TRUE(usable(b.step(turned, there)));
  }
  EXPECT_LT((Q * here.R_WB - there.R_WB).norm(), 1e-9);
  EXPECT_LT((Q * here.p_WB - there.p_WB).norm(), 1e-9);
  Kinematics k1(model), k2(model);
  k1.update(here);
  k2.update(there);
  for (const int link : links) EXPECT_LT((Q * k1.R_WL(link) - k2.R_WL(link)).norm(), 1e-9);
}

TEST(DynamicalSolver, StaysFiniteOrthonormalAndInsideLimitsOnRandomModels) {
  test::Random random(6);
  const int steps_per_model = 250;
  const int models = test::scaled_numerical(4000);  // 1e6 steps
  for (int m = 0; m < models; ++m) {
    test::RandomModelOptions options;
    options.max_joints = 40;
    const Model model = test::random_model(random(), options);
    State state = test::random_state(model, random), goal = test::random_state(model, random);
    std::vector<int> links;
    for (int l = 0; l < model.link_count(); ++l) {
      if (test::chance(random, 0.5)) links.push_back(l);
    }
    if (links.empty()) links.push_back(0);
    Targets targets = targets_at(model, goal, links);
    for (Target& row : targets.rows) row.position_weight = test::chance(random, 0.3) ? 25.0 : 0.0;
    DynamicalOptions solver_options;
    solver_options.limits.law = static_cast<LimitLaw>(1 + test::pick(random, 3));
    DynamicalSolver solver(model, targets.rows, solver_options);
    double t = 0.0;
    for (int k = 0; k < steps_per_model; ++k) {
      if (k % 50 == 49) {
        const Targets other = targets_at(model, test::random_state(model, random), links);
        for (std::size_t j = 0; j < links.size(); ++j) {
          targets.rows[j].R_WF = other.rows[j].R_WF;
          targets.rows[j].p_WF = other.rows[j].p_WF;
          targets.rows[j].has_orientation = test::chance(random, 0.8);
          targets.rows[j].has_position = test::chance(random, 0.8);
          targets.rows[j].has_angular_velocity = targets.rows[j].has_orientation && test::chance(random, 0.5);
          targets.rows[j].has_linear_velocity = targets.rows[j].has_position && test::chance(random, 0.5);
        }
      }
      t += test::uniform(random, 1e-3, 0.05);
      targets.t = from_seconds(t);
      const StepStatus status = solver.step(targets, state);
      if (status == StepStatus::NoTarget) continue;
      ASSERT_TRUE(usable(status)) << to_string(status) << " model " << m << " step " << k;
      ASSERT_TRUE(is_valid(state, model));
      ASSERT_LT((state.R_WB.transpose() * state.R_WB - Eigen::Matrix3d::Identity()).cwiseAbs().maxCoeff(),
                1e-9);
      ASSERT_TRUE((state.s.array() <= model.upper().array() + 1e-9).all());
      ASSERT_TRUE((state.s.array() >= model.lower().array() - 1e-9).all());
      ASSERT_EQ(solver.last_report().clamped, 0) << "model " << m << " step " << k;
    }
  }
}

TEST(DynamicalSolver, LeavesTheStateUntouchedWhenAFactIsNotFinite) {
  const Model model = human66();
  const std::vector<int> links = human_links(model);
  test::Random random(7);
  const State start = random_human_state(model, random);
  const Targets good = targets_at(model, start, links);
  DynamicalSolver solver(model, good.rows, DynamicalOptions{});
  for (const double bad : {std::nan(""), kInfinity, -kInfinity}) {
    for (int field = 0; field < 4; ++field) {
      Targets targets = good;
      targets.t = frame_time(1, 50.0);
      Target& row = targets.rows[static_cast<std::size_t>(test::pick(random, 23))];
      (field == 0 ? row.R_WF(1, 2) : field == 1 ? row.p_WF[0] : field == 2 ? row.w_WF[1] : row.v_WF[2]) = bad;
      State state = start;
      ASSERT_EQ(solver.step(targets, state), StepStatus::TargetNotFinite);
      ASSERT_EQ(state_hash(state), state_hash(start));
    }
  }
}

TEST(DynamicalSolver, HoldsTheStateAndSaysSoWhenNoLevelOfFallbackIsFinite) {
  // finite facts whose weighted sum is not: neither the exact nor the damped problem has an answer
  const Model model = human66();
  test::Random random(12);
  const State start = random_human_state(model, random);
  Targets targets = targets_at(model, start, human_links(model));
  for (Target& row : targets.rows) row.orientation_weight = 1e10;
  DynamicalSolver solver(model, targets.rows, DynamicalOptions{});
  targets.t = frame_time(1, 50.0);
  targets.rows[Head].w_WF = Eigen::Vector3d::Constant(1e300);
  State state = start;
  EXPECT_EQ(solver.step(targets, state), StepStatus::NumericalFailure);
  EXPECT_EQ(solver.last_report().fallback_level, 5);
  EXPECT_EQ(state_hash(state), state_hash(start));
  // and it recovers with the next good sample
  targets.rows[Head].w_WF.setZero();
  targets.t = frame_time(2, 50.0);
  EXPECT_TRUE(usable(solver.step(targets, state)));
}

TEST(DynamicalSolver, RefusesTimeThatDoesNotAdvanceAndSizesThatDoNotFit) {
  const Model model = human66();
  Targets targets = targets_at(model, rest_state(model), human_links(model));
  DynamicalSolver solver(model, targets.rows, DynamicalOptions{});
  State state = rest_state(model);
  targets.t = 0;
  EXPECT_EQ(solver.step(targets, state), StepStatus::TimeNotAdvancing);
  targets.t = -5;
  EXPECT_EQ(solver.step(targets, state), StepStatus::TimeNotAdvancing);
  targets.t = 5;
  State small = state;
  small.s.conservativeResize(3);
  EXPECT_EQ(solver.step(targets, small), StepStatus::SizeMismatch);
  targets.rows.pop_back();
  EXPECT_EQ(solver.step(targets, state), StepStatus::SizeMismatch);
  for (Target& row : targets.rows) row.has_orientation = row.has_position = false;
  targets.rows.push_back(targets.rows[0]);
  EXPECT_EQ(solver.step(targets, state), StepStatus::NoTarget);
}

TEST(DynamicalSolver, LosesTheRowsOfAMissingTargetAndNothingElse) {
  const Model model = human66();
  const std::vector<int> links = human_links(model);
  test::Random random(8);
  Targets targets = targets_at(model, random_human_state(model, random), links);
  targets.rows[RightForeArm].has_orientation = false;
  targets.rows[RightForeArm].R_WF.setConstant(std::nan(""));
  DynamicalSolver solver(model, targets.rows, DynamicalOptions{});
  State state = rest_state(model);
  for (int k = 1; k <= 100; ++k) {
    targets.t = frame_time(k, 50.0);
    ASSERT_TRUE(usable(solver.step(targets, state)));
  }
  Kinematics kinematics(model);
  kinematics.update(state);
  for (std::size_t j = 0; j < links.size(); ++j) {
    if (j == RightForeArm) continue;
    EXPECT_LT(so3::distance(kinematics.R_WL(links[j]), targets.rows[j].R_WF), 0.01 * kDegree)
        << kHumanSegmentNames[j];
  }
}

TEST(DynamicalSolver, StepsWithoutAllocating) {
  if (!AllocationCount::available()) GTEST_SKIP() << "the sanitizer owns malloc";
  for (const Model& model : {human66(), human48()}) {
    test::Random random(9);
    Targets targets = targets_at(model, random_human_state(model, random), human_links(model));
    DynamicalSolver solver(model, targets.rows, DynamicalOptions{});
    State state = rest_state(model);
    const AllocationCount count;
    for (int k = 1; k <= 100; ++k) {
      targets.t = frame_time(k, 50.0);
      (void)solver.step(targets, state);
    }
    EXPECT_EQ(count.value(), 0) << model.name();
  }
}

TEST(SettledBodies, MoveAsTheKernelFindsThem) {
  // the kernel is given the same problem with its axes, and knows nothing of the way that is taken here
  const Model model = human66();
  test::Random random(31);
  for (const bool balls : {true, false}) {
    int settled = 0;
    double worst_body = 0.0, worst_rate = 0.0;
    for (int i = 0; i < test::scaled(300); ++i) {
      State state = random_human_state(model, random);
      if (!balls) state.s *= test::uniform(random, 0.1, 0.6);  // else some triple is nearly singular
      Targets targets = settling_targets(model, state);
      for (Target& row : targets.rows) row.orientation_weight = std::exp(test::uniform(random, -2.0, 2.0));
      VelocityProblem problem(model, targets.rows, DampingOptions{}, balls);
      problem.set_pose(state);
      problem.choose_rows(targets);
      if (!problem.settles()) continue;
      ++settled;
      std::vector<Eigen::Vector3d> angular, linear;
      const TargetLanes lanes(model, problem.blocks(), targets.rows);
      LaneArray<3> omega(problem.blocks().lanes());
      for (std::size_t j = 0; j < targets.rows.size(); ++j) {
        angular.push_back(test::random_vector(random, 5.0));
        linear.push_back(test::random_vector(random, 2.0));
        store(to_vec3(angular.back()), omega, lanes.lane_of_row(j));
      }
      TreeSolution own(problem.tree), oracle(problem.tree);
      problem.settle_bodies(omega, linear, own);
      problem.settle_rates(own);

      problem.build(state);
      problem.set_velocities(angular, linear, targets);
      ActiveSetSolver solver(problem.tree);
      ASSERT_EQ(solver.solve(problem.tree, oracle), TreeStatus::Exact);
      for (std::size_t b = 0; b <= problem.tree.base; ++b) {
        const auto far = [b](const LaneArray<3>& x, const LaneArray<3>& y) {
          return (to_eigen(vec3(x, b)) - to_eigen(vec3(y, b))).norm();
        };
        worst_body = std::max(worst_body, far(own.omega, oracle.omega));
        if (b < problem.tree.base) worst_rate = std::max(worst_rate, far(own.rate, oracle.rate));
      }
      worst_body = std::max(
          worst_body,
          (to_eigen(vec3(own.v, problem.tree.base)) - to_eigen(vec3(oracle.v, problem.tree.base))).norm());
    }
    EXPECT_GT(settled, test::scaled(300) / 10);
    EXPECT_LT(worst_body, 1e-13) << "velocities up to 9 rad/s";
    EXPECT_LT(worst_rate, 1e-12) << "the same over |det S| >= 0.3";
  }
}

// size: one body, changed case by case
TEST(SettledBodies, AreSettledByTheirOwnTargetsAlone) {
  const Model model = human66();
  const State rest = rest_state(model);
  const auto settles = [&](Targets targets, const DampingOptions& damping = {}, double bend = 0.0) {
    State state = rest;
    state.s[1] = bend;  // the middle angle of a triple
    VelocityProblem problem(model, targets.rows, damping, false);
    problem.set_pose(state);
    problem.choose_rows(targets);
    return problem.settles();
  };
  const Targets whole = settling_targets(model, rest);
  EXPECT_TRUE(settles(whole));
  EXPECT_FALSE(settles(whole, {}, 0.5 * std::numbers::pi)) << "a triple in its gimbal lock";

  Targets other = whole;
  other.rows[7].has_orientation = false;
  EXPECT_FALSE(settles(other)) << "a body without a target";
  other = whole;
  other.rows.front().has_orientation = false;
  EXPECT_FALSE(settles(other)) << "a base without a target";
  other = whole;
  other.rows.front().has_position = false;
  EXPECT_TRUE(settles(other)) << "a base that is nowhere told to be";
  other = whole;
  other.rows[10].position_weight = 25.0;
  other.rows[10].has_position = true;
  EXPECT_FALSE(settles(other)) << "a place that several joints reach";
  other.rows[10].has_position = false;
  EXPECT_TRUE(settles(other)) << "a place that is not measured now";
  other = whole;
  other.rows.push_back(other.rows[3]);
  EXPECT_FALSE(settles(other)) << "two targets on one body";

  DampingOptions damping;
  damping.uniform = 1e-8;
  EXPECT_FALSE(settles(whole, damping));
  damping = {};
  damping.residual = 1.0;
  EXPECT_TRUE(settles(whole, damping)) << "for the steps in which next to nothing of it is left";

  // one ball on a base that floats, or stands, or whose joints limit each other
  ModelSpec ball;
  ball.name = "ball";
  ball.links = {{"base"}, {"x"}, {"y"}, {"arm"}};
  for (int k = 0; k < 3; ++k) {
    Joint joint;
    joint.name = std::string("about_") + "xyz"[k];
    joint.type = JointType::Revolute;
    joint.parent = ball.links[at(k)].name;
    joint.child = ball.links[at(k) + 1].name;
    joint.axis = Eigen::Vector3d::Unit(k);
    ball.joints.push_back(joint);
  }
  const auto ball_settles = [](const ModelSpec& spec) {
    const Model body{spec};
    Targets targets;
    targets.rows.resize(2);
    for (int j = 0; j < 2; ++j) {
      targets.rows[at(j)].link = 3 * j;
      targets.rows[at(j)].has_orientation = true;
      targets.rows[at(j)].orientation_weight = 1.0;
    }
    VelocityProblem problem(body, targets.rows, {}, false);
    problem.set_pose(rest_state(body));
    problem.choose_rows(targets);
    return problem.settles();
  };
  EXPECT_TRUE(ball_settles(ball));
  ModelSpec standing = ball;
  standing.floating_base = false;
  EXPECT_FALSE(ball_settles(standing)) << "a base that cannot follow its target";
  ModelSpec coupled = ball;
  coupled.rows.push_back({"sum", {{"about_x", 1.0}, {"about_y", 1.0}}, -1.0, 1.0});
  EXPECT_FALSE(ball_settles(coupled)) << "joints that limit each other";

  const Model hinged = human48();  // knees with two joints
  const Targets all = settling_targets(hinged, rest_state(hinged));
  VelocityProblem problem(hinged, all.rows, {}, false);
  problem.set_pose(rest_state(hinged));
  problem.choose_rows(all);
  EXPECT_TRUE(problem.settles()) << "a joint that is not there is a condition between two bodies";
}

TEST(DynamicalSolver, IsDampedByResidualsOnlyWhileTheTargetsStandStill) {
  // a target that turns faster than 2.2 rad/s leaves less than a thousandth of it: to the last bit the same
  // as without. One that stands still has all of it.
  const Model model = human48();
  for (const bool fast : {true, false}) {
    DynamicalOptions plain, damped;
    damped.damping.residual = 0.5;
    State state = rest_state(model), other = state;
    const auto targets = [&](int k) {
      State person = rest_state(model);
      person.t = from_seconds(0.01 * k);
      person.R_WB = so3::exp(Eigen::Vector3d(0.0, 0.0, fast ? 0.03 * k : 0.0));
      person.s[0] = 0.2;
      return settling_targets(model, person);
    };
    Targets now = targets(0);
    DynamicalSolver without(model, now.rows, plain), with(model, now.rows, damped);
    without.prime(now);
    with.prime(now);
    bool same = true;
    for (int k = 1; k <= 20; ++k) {
      now = targets(k);
      ASSERT_TRUE(usable(without.step(now, state)));
      ASSERT_TRUE(usable(with.step(now, other)));
      same = same && state.s == other.s;
    }
    EXPECT_EQ(same, fast);
  }
}

TEST(DynamicalSolver, RefusesOptionsAndRowsOutOfRangeByName) {
  const Model model = human66();
  std::vector<Target> rows(1);
  DynamicalOptions options;
  options.max_interval = 0.0;
  EXPECT_THROW(DynamicalSolver(model, rows, options), ConfigError);
  const std::vector<std::pair<const char*, double DynamicalOptions::*>> times{
      {"max_interval", &DynamicalOptions::max_interval},
      {"max_extrapolation", &DynamicalOptions::max_extrapolation},
      {"stuck_after", &DynamicalOptions::stuck_after}};
  for (const double wrong : {kInfinity, -kInfinity, std::nan("")}) {
    for (const auto& [name, member] : times) {
      DynamicalOptions changed;
      changed.*member = wrong;
      try {
        const DynamicalSolver solver(model, rows, changed);
        ADD_FAILURE() << name << " = " << wrong << " is accepted";
      } catch (const ConfigError& error) {
        EXPECT_NE(std::string(error.what()).find(name), std::string::npos) << error.what();
      }
    }
    DynamicalOptions damped;
    damped.damping.undetermined = wrong;
    EXPECT_THROW(DynamicalSolver(model, rows, damped), ConfigError) << wrong;
  }
  rows[0].orientation_gain = kInfinity;
  EXPECT_THROW(DynamicalSolver(model, rows, DynamicalOptions{}), ConfigError);
  rows[0].orientation_gain = -1.0;
  EXPECT_THROW(DynamicalSolver(model, rows, DynamicalOptions{}), ConfigError);
  rows[0].orientation_gain = 1.0;
  rows[0].link = 1000;
  EXPECT_THROW(DynamicalSolver(model, rows, DynamicalOptions{}), ConfigError);
}

}  // namespace
}  // namespace panto
