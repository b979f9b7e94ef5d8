// Integration as the solver does it: gain zero makes the loop open, so that only measured rates move the
// model.

#include "panto/ik/integrate.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "panto/ik/dynamical.hpp"
#include "panto/math/euler.hpp"
#include "panto/math/so3.hpp"
#include "panto/model/kinematics.hpp"
#include "tests/support/random_model.hpp"
#include "tests/support/test_data.hpp"

namespace panto {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

constexpr double kPi = std::numbers::pi;
constexpr double kDegree = kPi / 180.0;
constexpr double kStep = 0.02;  // [s]

Model single_link() {
  ModelSpec spec;
  spec.name = "body";
  spec.links = {{"body"}};
  return Model(spec);
}

// three hinges about x, y, z through one point; `range` [rad] or none
Model ball(double range = kInfinity) {
  ModelSpec spec;
  spec.name = "ball";
  spec.floating_base = false;
  spec.links = {{"base"}, {"m1"}, {"m2"}, {"end"}};
  for (int k = 0; k < 3; ++k) {
    Joint joint;
    joint.name = "j" + std::to_string(k);
    joint.type = JointType::Revolute;
    joint.parent = spec.links[static_cast<std::size_t>(k)].name;
    joint.child = spec.links[static_cast<std::size_t>(k) + 1].name;
    joint.axis = Vector3d::Unit(k);
    joint.lower = -range;
    joint.upper = range;
    spec.joints.push_back(joint);
  }
  return Model(spec);
}

std::vector<Target> one_row(int link) {
  Target row;
  row.link = link;
  row.orientation_gain = 0.0;
  row.has_orientation = row.has_angular_velocity = true;
  return {row};
}

double orthonormality(const Matrix3d& R) {
  return (R.transpose() * R - Matrix3d::Identity()).cwiseAbs().maxCoeff();
}

struct OpenLoop {
  double orthonormality = 0.0, angle_deg = 0.0;
};

// 60 s at 5 rad/s about a fixed axis
OpenLoop spin(Integration integration) {
  const Model model = single_link();
  DynamicalOptions options;
  options.integration = integration;
  Targets targets{0, one_row(0)};
  const Vector3d w = 5.0 * Vector3d(1.0, -2.0, 2.0) / 3.0;
  DynamicalSolver solver(model, targets.rows, options);
  State state = rest_state(model);
  OpenLoop result;
  for (int k = 1; k <= 3000; ++k) {
    targets.t = from_seconds(k * kStep);
    targets.rows[0].w_WF = w;
    EXPECT_TRUE(usable(solver.step(targets, state)));
    result.orthonormality = std::max(result.orthonormality, orthonormality(state.R_WB));
  }
  // one turn and more: the drift is the angle left over after the exact rotation is undone
  const Matrix3d truth = so3::exp(60.0 * w);
  result.angle_deg = so3::distance(truth, so3::project(state.R_WB)) / kDegree;
  return result;
}

TEST(Integration, TheExponentialMapKeepsRotationsForAMinute) {
  const OpenLoop result = spin(Integration::SO3);
  std::printf("SO3, 60 s at 5 rad/s: orthonormality %.1e, angle %.2e deg\n", result.orthonormality,
              result.angle_deg);
  EXPECT_LT(result.orthonormality, 1e-15);  // theory, section 1.7: 4e-16
  EXPECT_LT(result.angle_deg, 1e-9);        // 0.000 deg
}

TEST(Integration, EulerWithBaumgarteDriftsAsThePapersFigureImplies) {
  const OpenLoop result = spin(Integration::EulerBaumgarte);
  std::printf("Euler + Baumgarte, 60 s at 5 rad/s: orthonormality %.1e, angle %.1f deg\n",
              result.orthonormality, result.angle_deg);
  // (w dt)^2 / (rho dt) = 1e-2; (w dt)^3 / 6 in every one of 3000 steps = 29 deg
  EXPECT_NEAR(result.orthonormality, 1e-2, 3e-3);
  EXPECT_NEAR(result.angle_deg, 29.0, 2.0);
}

TEST(Integration, AFreeTripleTurnsExactlyAsItsLinkWasToldTo) {
  const Model model = ball();
  Targets targets{0, one_row(3)};
  test::Random random(1);
  Kinematics kinematics(model);
  for (int run = 0; run < 20; ++run) {
    DynamicalSolver solver(model, targets.rows, DynamicalOptions{});
    State state = test::random_state(model, random);
    kinematics.update(state);
    Matrix3d truth = kinematics.R_WL(3);
    const auto rate = [&](int k) {
      return Vector3d(6.0 * Vector3d(std::sin(0.1 * k), std::cos(0.07 * k + run), std::sin(0.013 * k)));
    };
    targets.t = 0;
    targets.rows[0].w_WF = rate(0);
    solver.prime(targets);
    double worst = 0.0;
    for (int k = 1; k <= 500; ++k) {
      targets.t = from_seconds(k * kStep);
      targets.rows[0].w_WF = rate(k);
      truth = so3::exp(0.5 * kStep * (rate(k - 1) + rate(k))) * truth;  // the interval's mean
      ASSERT_TRUE(usable(solver.step(targets, state)));
      kinematics.update(state);
      worst = std::max(worst, so3::distance(truth, kinematics.R_WL(3)));
    }
    ASSERT_LT(worst, 1e-11) << "run " << run;
  }
}

TEST(Integration, AReadingStaysOnItsBranchThroughTheGimbalLock) {
  // the middle angle passes 90 degrees and goes on to a full turn; outer angles move too
  const Model model = ball();
  Targets targets{0, one_row(3)};
  targets.rows[0].orientation_gain = 20.0;
  targets.rows[0].has_angular_velocity = false;  // differenced: exact at every sample
  DynamicalSolver solver(model, targets.rows, DynamicalOptions{});
  const auto truth = [](double t) { return Vector3d(0.3 + 0.2 * t, 0.1 + t, -0.4 - 0.3 * t); };
  State state = rest_state(model);
  state.s = truth(0.0);
  targets.rows[0].R_WF = euler::to_rotation(truth(0.0), euler::XYZ);
  solver.prime(targets);
  double worst = 0.0;
  for (int k = 1; k <= 400; ++k) {
    const double t = k * kStep;
    targets.t = from_seconds(t);
    targets.rows[0].R_WF = euler::to_rotation(truth(t), euler::XYZ);
    ASSERT_TRUE(usable(solver.step(targets, state)));
    worst = std::max(worst, (state.s - truth(t)).cwiseAbs().maxCoeff());
  }
  EXPECT_LT(worst, 1e-9);
}

TEST(Integration, ALimitedTripleNeverLeavesItsBounds) {
  test::Random random(2);
  double worst = 0.0;
  int saturated = 0;
  for (int run = 0; run < test::scaled(20); ++run) {
    const double range = test::uniform(random, 0.2, 2.5);
    const Model model = ball(range);
    Targets targets{0, one_row(3)};
    targets.rows[0].orientation_gain = 20.0;
    DynamicalSolver solver(model, targets.rows, DynamicalOptions{});
    State state = rest_state(model);
    for (int k = 1; k <= 300; ++k) {
      targets.t = from_seconds(k * kStep);
      targets.rows[0].w_WF = test::random_vector(random, 20.0);
      if (k % 20 == 1) targets.rows[0].R_WF = test::random_rotation(random);  // often out of reach
      const StepStatus status = solver.step(targets, state);
      ASSERT_TRUE(usable(status));
      saturated += status == StepStatus::Saturated ? 1 : 0;
      worst = std::max(worst, state.s.cwiseAbs().maxCoeff() - range);
    }
  }
  EXPECT_LE(worst, 0.0);
  EXPECT_GT(saturated, 100);
}

TEST(Integration, AJointThatBeginsOutsideIsNeverMovedFartherOut) {
  const Model model = ball(0.5);
  Targets targets{0, one_row(3)};
  targets.rows[0].orientation_gain = 20.0;
  DynamicalSolver solver(model, targets.rows, DynamicalOptions{});
  State state = rest_state(model);
  state.s = Vector3d(0.9, -0.8, 0.7);
  double before = 0.9;
  for (int k = 1; k <= 50; ++k) {
    targets.t = from_seconds(k * kStep);
    targets.rows[0].R_WF = euler::to_rotation({1.5, -1.2, 1.4}, euler::XYZ);
    ASSERT_TRUE(usable(solver.step(targets, state)));
    ASSERT_LE(state.s.cwiseAbs().maxCoeff(), before + 1e-12);
    before = state.s.cwiseAbs().maxCoeff();
  }
  EXPECT_LE(before, 0.5 + 1e-12);
}

TEST(Integration, PositionsMoveByTheMeanVelocity) {
  const Model model = single_link();
  std::vector<Target> rows = one_row(0);
  rows[0].position_weight = 25.0;
  rows[0].position_gain = 0.0;
  rows[0].has_position = rows[0].has_linear_velocity = true;
  Targets targets{0, rows};
  DynamicalSolver solver(model, rows, DynamicalOptions{});
  State state = rest_state(model);
  targets.rows[0].v_WF = {0.0, 0.0, 0.0};
  solver.prime(targets);
  for (int k = 1; k <= 100; ++k) {
    targets.t = from_seconds(k * kStep);
    targets.rows[0].v_WF = Vector3d(1.0, -2.0, 0.5) * (k * kStep);  // constant acceleration: means are exact
    ASSERT_TRUE(usable(solver.step(targets, state)));
  }
  EXPECT_LT((state.p_WB - 0.5 * 4.0 * Vector3d(1.0, -2.0, 0.5)).norm(), 1e-12);
}

}  // namespace
}  // namespace panto
