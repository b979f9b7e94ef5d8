#include "panto/ik/instantaneous.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <functional>
#include <numbers>
#include <string>

#include "panto/ik/pose_newton.hpp"
#include "panto/ik/pose_optimizer.hpp"
#include "tests/support/plain_potential.hpp"
#include "tests/support/solver_scenes.hpp"
#include "tests/support/test_data.hpp"

namespace panto {
namespace {

using test::Random;

// the potential as the documentation has it, by angles
double potential(const Model& model, const Targets& targets, const State& state) {
  Kinematics kinematics(model);
  kinematics.update(state);
  double sum = 0.0;
  for (const Target& row : targets.rows) {
    if (row.has_orientation)
      sum += row.orientation_weight * (1.0 - std::cos(so3::distance(row.R_WF, kinematics.R_WL(row.link))));
    if (row.has_position)
      sum += 0.5 * row.position_weight * (row.p_WF - kinematics.p_WL(row.link)).squaredNorm();
  }
  return sum;
}

// `state` with coordinate k (base translation, base rotation, joints) moved by h
State moved(const Model& model, const State& state, int k, double h) {
  State other = state;
  const int first = model.floating_base() ? 6 : 0;
  if (k >= first) {
    other.s[k - first] += h;
  } else if (k < 3) {
    other.p_WB[k] += h;
  } else {
    other.R_WB = so3::exp(h * Eigen::Vector3d::Unit(k - 3)) * state.R_WB;
  }
  return other;
}

// -J'W r from the textbook: dense Jacobians, what a bound holds back left out. A gradient that the solver has
// no part in.
double projected_gradient(const Model& model, const Targets& targets, const State& state) {
  Kinematics kinematics(model);
  kinematics.update(state);
  Eigen::VectorXd gradient = Eigen::VectorXd::Zero(model.nv());
  Eigen::MatrixXd J;
  for (const Target& row : targets.rows) {
    kinematics.jacobian(row.link, J);
    if (row.has_orientation) {
      gradient -= row.orientation_weight * J.bottomRows(3).transpose() *
                  so3::vee_skew(row.R_WF * kinematics.R_WL(row.link).transpose());
    }
    if (row.has_position) {
      gradient -= row.position_weight * J.topRows(3).transpose() * (row.p_WF - kinematics.p_WL(row.link));
    }
  }
  const int first = model.floating_base() ? 6 : 0;
  for (int i = 0; i < model.dof(); ++i) {
    double& slope = gradient[first + i];
    if (slope > 0.0 && state.s[i] == model.lower()[i]) slope = 0.0;
    if (slope < 0.0 && state.s[i] == model.upper()[i]) slope = 0.0;
  }
  return gradient.cwiseAbs().maxCoeff();
}

// positions on some links too
Targets with_positions(const Model& model, Targets targets, Random& random) {
  for (Target& row : targets.rows) {
    if (row.link != model.root_link() && test::chance(random, 0.3)) row.position_weight = 25.0;
  }
  return targets;
}

// targets that no pose meets: each link turned away by up to `angle`, each point moved by up to `distance`
Targets disturbed(Targets targets, Random& random, double angle, double distance) {
  for (Target& row : targets.rows) {
    row.R_WF = so3::exp(test::random_vector(random, angle)) * row.R_WF;
    row.p_WF += test::random_vector(random, distance);
  }
  return targets;
}

// the potential by lanes, at one pose
struct AtPose {
  AtPose(const Model& model, const Targets& targets, const State& state, bool balls)
      : problem(model, targets.rows, DampingOptions{}, balls), potential(model, problem, targets.rows) {
    EXPECT_TRUE(potential.take(targets));
    problem.set_pose(state);
    value = potential.update(state);
    problem.set_rows(targets, state);
    potential.update_gradient();
  }

  VelocityProblem problem;
  PosePotential potential;
  double value = 0.0;
};

// base translation, base rotation, joints by State::s order
Eigen::VectorXd gradient_of(const Model& model, const AtPose& there) {
  Eigen::VectorXd gradient(model.nv());
  const int first = model.floating_base() ? 6 : 0;
  if (first == 6) gradient.head<6>() << there.potential.base_linear(), there.potential.base_angular();
  for (int dof = 0; dof < model.dof(); ++dof) {
    const auto slot = at(there.problem.blocks().slot_of_dof[at(dof)]);
    gradient[first + dof] = there.potential.joints()[slot];
  }
  return gradient;
}

TEST(PosePotential, HasTheGradientThatFiniteDifferencesHave) {
  Random random(1);
  for (int i = 0; i < test::scaled(30); ++i) {
    test::RandomModelOptions options;
    options.max_joints = 25;
    options.max_scale = 1.0;
    const Model model = i % 5 == 0 ? human48() : test::random_model(static_cast<std::uint64_t>(i), options);
    const Targets targets =
        with_positions(model, test::observed(model, test::random_state(model, random)), random);
    const State state = test::random_state(model, random);
    const AtPose there(model, targets, state, false);
    const double value = potential(model, targets, state);
    EXPECT_NEAR(there.value, value, 1e-12 * (1.0 + value));
    const Eigen::VectorXd gradient = gradient_of(model, there);
    constexpr double h = 1e-5;
    for (int k = 0; k < model.nv(); ++k) {
      const double slope = (potential(model, targets, moved(model, state, k, h)) -
                            potential(model, targets, moved(model, state, k, -h))) /
                           (2.0 * h);
      // the difference's own error: rounding 1e-16 V / h, and h^2 times the third derivative
      ASSERT_NEAR(gradient[k], slope, 1e-8 * (1.0 + value)) << model.name() << ", coordinate " << k;
    }
    Kinematics kinematics(model);
    kinematics.update(state);
    test::PlainPotential plain(model);
    plain.update_gradient(targets, kinematics);
    Eigen::VectorXd by_bodies(model.nv());
    if (model.floating_base()) by_bodies.head<6>() << plain.base_linear(), plain.base_angular();
    by_bodies.tail(model.dof()) = plain.joints();
    EXPECT_LT((gradient - by_bodies).cwiseAbs().maxCoeff(), 1e-12 * (1.0 + value)) << model.name();
  }
}

TEST(PosePotential, TurnsABallAboutTheAxesOfTheWorld) {
  Random random(11);
  const Model model = human66();
  for (int i = 0; i < test::scaled(10); ++i) {
    const Targets targets =
        with_positions(model, test::observed(model, test::random_state(model, random)), random);
    const State state = test::random_state(model, random);
    const AtPose as_balls(model, targets, state, true), by_joints(model, targets, state, false);
    const Eigen::VectorXd joints = gradient_of(model, by_joints).tail(model.dof());
    Kinematics kinematics(model);
    kinematics.update(state);
    const Tree& tree = model.tree();
    for (int body = 1; body < tree.size(); ++body) {
      const int dof = tree.dof[at(body)];
      const std::size_t lane = LaneArray<3>::lane(at(as_balls.problem.blocks().slot_of_dof[at(dof)]));
      const Eigen::Vector3d torque = to_eigen(vec3(as_balls.potential.joints(), lane));
      ASSERT_NEAR(kinematics.joint_axis()[at(body)].dot(torque), joints[dof], 1e-11) << "joint " << dof;
    }
  }
}

TEST(PosePotential, TellsSmallAnglesApart) {
  // 1 - cos(1e-10) is 5e-21; 1 minus a cosine would be zero
  const Model model = human66();
  State state = rest_state(model);
  const Targets targets = test::observed(model, state);
  state.s[model.joint_index("jLeftKnee_roty")] += 1e-10;
  EXPECT_NEAR(AtPose(model, targets, state, true).value, 3.0 * 5e-21, 1e-23);  // shank, foot, toe
}

TEST(PosePotential, WeighsARowBySineOverAngle) {
  // on both sides of where the series of the arctangent ends (23 degrees), and of 150 degrees
  const Model model = human66();
  const State state = rest_state(model);
  for (const double degrees : {0.0, 1e-6, 1.0, 20.0, 23.0, 23.2, 60.0, 120.0, 149.0, 151.0, 179.0}) {
    Targets targets = test::observed(model, state);
    const double angle = degrees * std::numbers::pi / 180.0;
    Target& row = targets.rows[3];
    row.R_WF = so3::exp(angle * Eigen::Vector3d(0.6, 0.0, 0.8)) * row.R_WF;
    AtPose there(model, targets, state, true);
    EXPECT_EQ(there.potential.any_far(), degrees > 150.0);
    there.potential.ask(there.problem.tree, false);
    const std::size_t lane = at(there.problem.blocks().block_of(model.frame(row.link).body));
    const double least = 0.19, share = angle > 0.0 ? std::max(std::sin(angle) / angle, least) : 1.0;
    EXPECT_NEAR(there.problem.tree.weight(0, lane), row.orientation_weight * share, 1e-12) << degrees;
    EXPECT_NEAR(to_eigen(vec3(there.problem.tree.rhs, lane)).norm(), row.orientation_weight * std::sin(angle),
                1e-12)
        << degrees;
    there.potential.ask(there.problem.tree, true);  // beyond 150 degrees as long as there
    EXPECT_NEAR(to_eigen(vec3(there.problem.tree.rhs, lane)).norm(),
                row.orientation_weight * (degrees > 150.0 ? 0.5 : std::sin(angle)), 1e-12)
        << degrees;
  }
}

TEST(PoseNewton, HasTheSecondDerivativesThatFiniteDifferencesHave) {
  Random random(3);
  for (int i = 0; i < test::scaled(20); ++i) {
    test::RandomModelOptions options;
    options.max_joints = 25;
    options.max_scale = 1.0;
    const Model model = i % 5 == 0 ? human48() : test::random_model(static_cast<std::uint64_t>(i), options);
    Targets targets = with_positions(model, test::observed(model, test::random_state(model, random)), random);
    if (i % 2 == 0) targets.rows[0].position_weight = 7.0;
    const State state = test::random_state(model, random);
    Kinematics kinematics(model);
    kinematics.update(state);
    PoseNewton newton(model);
    newton.update(targets, kinematics);

    const auto gradient = [&](const State& at_state) {
      Kinematics there(model);
      there.update(at_state);
      test::PlainPotential pose(model);
      pose.update_gradient(targets, there);
      Eigen::VectorXd g(model.nv());
      g << pose.base_linear(), pose.base_angular(), pose.joints();
      return g;
    };
    constexpr double h = 1e-5;
    Eigen::MatrixXd H(model.nv(), model.nv());
    for (int k = 0; k < model.nv(); ++k) {
      H.col(k) = (gradient(moved(model, state, k, h)) - gradient(moved(model, state, k, -h))) / (2.0 * h);
    }
    // between two turns of the base the order matters: their mean is the derivative by a rotation vector. The
    // difference of the base's gradient in world axes by a joint misses nothing.
    H.block<3, 3>(3, 3) = (0.5 * (H.block<3, 3>(3, 3) + H.block<3, 3>(3, 3).transpose())).eval();
    const double scale = 1.0 + H.cwiseAbs().maxCoeff();
    EXPECT_LT((newton.hessian() - newton.hessian().transpose()).cwiseAbs().maxCoeff(), 1e-15 * scale);
    // upper half: the inner coordinate behind the outer one; the gradient of the outer coordinate is what the
    // inner one changes
    EXPECT_LT((newton.hessian() - H).cwiseAbs().maxCoeff(), 1e-8 * scale) << model.name();
  }
}

struct Scene {
  const char* name;
  std::function<Model()> model;
  double goal;      // size of the pose that is observed [rad]
  double angle;     // how far targets are turned away [rad]
  double distance;  // and moved [m]
  bool positions;
};

TEST(InstantaneousSolver, EndsWhereTheGradientVanishes) {
  const Scene scenes[] = {
      {"human66, reachable", [] { return human66(); }, 1.0, 0.0, 0.0, false},
      {"human66, unreachable positions", [] { return human66(); }, 0.8, 0.3, 0.1, true},
      {"human48, limits active", [] { return human48(); }, 1.5, 0.3, 0.0, false},
      {"human48, unreachable", [] { return human48(); }, 1.0, 0.5, 0.1, true},
      {"robot, unreachable", test::small_robot, 1.0, 0.7, 0.2, true},
      {"random tree, unreachable", test::random_tree, 1.0, 0.5, 0.1, true},
      {"random tree, contradictory", test::random_tree, 1.0, 3.0, 0.3, true},
      {"human48, contradictory", [] { return human48(); }, 1.0, 3.0, 1.0, true},
  };
  for (const Scene& scene : scenes) {
    Random random(2);
    const Model model = scene.model();
    double worst = 0.0, iterations = 0.0, most = 0.0;
    int active = 0;
    const int runs = test::scaled(40);
    for (int i = 0; i < runs; ++i) {
      Targets targets = test::observed(model, test::random_pose(model, random, scene.goal));
      if (scene.positions) targets = with_positions(model, targets, random);
      targets = disturbed(targets, random, scene.angle, scene.distance);
      targets.t = 1;
      InstantaneousOptions options;
      options.optimizer.max_iterations = 2000;
      InstantaneousSolver solver(model, targets.rows, DynamicalOptions{}, options);
      State state = test::random_pose(model, random, 0.5);
      ASSERT_TRUE(usable(solver.step(targets, state)));
      ASSERT_LE(test::beyond_limits(model, state), 0.0);
      ASSERT_LE(solver.last_report().fallback_level, 1)
          << scene.name << " " << i << ", gradient " << solver.optimizer().gradient();
      worst = std::max(worst, projected_gradient(model, targets, state));
      iterations += solver.optimizer().iterations();
      most = std::max(most, static_cast<double>(solver.optimizer().iterations()));
      active += solver.last_report().active_bounds;
    }
    std::printf("%-32s gradient %.1e, %.1f iterations (most %.0f), %.1f bounds\n", scene.name, worst,
                iterations / runs, most, static_cast<double>(active) / runs);
    EXPECT_LT(worst, 1.1e-10) << scene.name;  // the oracle's own rounding on top of the tolerance
  }
}

TEST(InstantaneousSolver, FindsEveryPoseOfTheFreeHumanFromAnywhere) {
  const Model model = human66();
  Random random(4);
  for (int i = 0; i < test::scaled(50); ++i) {
    Targets targets = test::observed(model, test::random_pose(model, random, std::numbers::pi));
    targets.t = 1;
    InstantaneousSolver solver(model, targets.rows, DynamicalOptions{});
    State state = test::random_pose(model, random, std::numbers::pi);
    ASSERT_EQ(solver.step(targets, state), StepStatus::Solved);
    // a row that stands alone is met by one step from any angle
    EXPECT_LE(solver.optimizer().iterations(), 4);
    EXPECT_LT(test::worst_angle(model, state, targets), 1e-10);
  }
}

TEST(InstantaneousSolver, IsNotThrownBehindAWrongLimit) {
  // from 35 degrees away, the base turned too: long steps would end one in three hundred of these at a limit
  // half a turn off
  const Model model = human48();
  Random random(9);
  int missed = 0;
  const int poses = test::scaled(300);
  for (int i = 0; i < poses; ++i) {
    const State goal = test::random_pose(model, random, 0.6);
    Targets targets = test::observed(model, goal);
    targets.t = 1;
    State state = goal;
    state.R_WB = so3::exp(test::random_vector(random, 0.5)) * goal.R_WB;
    state.s = test::random_pose(model, random, 0.3).s;
    InstantaneousSolver solver(model, targets.rows, DynamicalOptions{});
    ASSERT_TRUE(usable(solver.step(targets, state)));
    missed += test::worst_angle(model, state, targets) > 1e-8 ? 1 : 0;
  }
  EXPECT_LE(missed, poses / 1000);
}

TEST(InstantaneousSolver, IsNotTrappedWhereTwoHalfTurnsCancelEveryGradient) {
  const Model model = human66();
  for (int axis = 0; axis < 3; ++axis) {
    State goal = rest_state(model);
    goal.R_WB = so3::about_axis(axis, std::numbers::pi);
    for (int i = axis; i < model.dof(); i += 3) goal.s[i] = std::numbers::pi;
    Targets targets = test::observed(model, goal);
    targets.t = 1;
    InstantaneousSolver solver(model, targets.rows, DynamicalOptions{});
    State state = rest_state(model);
    ASSERT_EQ(solver.step(targets, state), StepStatus::Solved);
    EXPECT_LT(test::worst_angle(model, state, targets), 1e-10) << "axis " << axis;
  }
}

TEST(InstantaneousSolver, KeepsWhatNoTargetDetermines) {
  const Model model = human66();
  Random random(5);
  Targets targets = test::observed(model, test::random_pose(model, random, 0.5));
  targets.t = 1;
  for (Target& row : targets.rows) {
    row.has_position = false;
    if (model.link_names()[at(row.link)] == "RightHand") row.has_orientation = false;
  }
  State state = test::random_pose(model, random, 0.5);
  const State before = state;
  InstantaneousSolver solver(model, targets.rows, DynamicalOptions{});
  ASSERT_EQ(solver.step(targets, state), StepStatus::Solved);
  EXPECT_EQ(state.p_WB, before.p_WB);
  for (const char axis : {'x', 'y', 'z'}) {
    const int dof = model.joint_index(std::string("jRightWrist_rot") + axis);
    EXPECT_NEAR(state.s[dof], before.s[dof], 1e-9);
  }
}

TEST(InstantaneousSolver, SaysWhenItsIterationsRanOut) {
  const Model model = human48();
  Random random(6);
  Targets targets = disturbed(test::observed(model, test::random_pose(model, random, 1.0)), random, 0.5, 0.1);
  targets.t = 1;
  InstantaneousOptions options;
  options.optimizer.max_iterations = 3;
  InstantaneousSolver short_of_time(model, targets.rows, DynamicalOptions{}, options);
  State state = test::random_pose(model, random, 0.5);
  const double before = potential(model, targets, state);
  ASSERT_TRUE(usable(short_of_time.step(targets, state)));
  EXPECT_EQ(short_of_time.last_report().fallback_level, 2);
  EXPECT_EQ(short_of_time.optimizer().iterations(), 3);
  EXPECT_LT(potential(model, targets, state), before);
  EXPECT_LE(test::beyond_limits(model, state), 0.0);
}

TEST(InstantaneousSolver, MovesNoFasterThanTheSpeedLimitWhereThatIsAsked) {
  const Model model = test::small_robot();  // 10 rad/s
  Random random(7);
  Targets targets = test::observed(model, test::random_pose(model, random, 1.0));
  InstantaneousOptions options;
  options.limit_speed = true;
  InstantaneousSolver solver(model, targets.rows, DynamicalOptions{}, options);
  State state = test::random_pose(model, random, 1.0);
  for (int k = 1; k <= 60; ++k) {
    targets.t = frame_time(k, 50.0);
    const Eigen::VectorXd before = state.s;
    ASSERT_TRUE(usable(solver.step(targets, state)));
    ASSERT_LE((state.s - before).cwiseAbs().maxCoeff(), 0.2 + 1e-12);
  }
  EXPECT_LT(test::worst_angle(model, state, targets), 1e-9);
}

TEST(InstantaneousSolver, TakesDifferencesWhereNoRatesAreMeasured) {
  const Model model = human66();
  Random random(8);
  test::SmoothMotion motion(model, random);
  Targets targets = test::observed(model, motion.at_time(0));
  DynamicalOptions options;
  options.velocity = VelocitySource::Differenced;
  InstantaneousSolver solver(model, targets.rows, options);
  State state = motion.at_time(0), before = state;
  solver.prime(targets);
  for (int k = 1; k <= 20; ++k) {
    test::observe(model, motion.at_time(frame_time(k, 100.0)), targets);
    before = state;
    ASSERT_EQ(solver.step(targets, state), StepStatus::Solved);
    // the mean velocity of the interval, by the poses themselves; joint rates at the interval's end differ
    // from the mean of the angles' by dt/2 times their change: 16 rad/s^2 at most, doubled
    const double dt = 0.01;
    EXPECT_LT((state.v_WB - (state.p_WB - before.p_WB) / dt).norm(), 1e-9);
    EXPECT_LT((state.sdot - (state.s - before.s) / dt).cwiseAbs().maxCoeff(), 0.16);
  }
}

TEST(PoseOptimizer, RefusesABudgetOfNothing) {
  const Model model = human66();
  PoseOptimizerOptions options;
  options.max_iterations = 0;
  EXPECT_THROW(PoseOptimizer(model, test::all_rows(model), options), ConfigError);
  options.max_iterations = 1;
  options.tolerance = 0.0;
  EXPECT_THROW(PoseOptimizer(model, test::all_rows(model), options), ConfigError);
}

}  // namespace
}  // namespace panto
