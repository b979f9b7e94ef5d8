#include "panto/ik/damped_jacobian.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <numbers>

#include "tests/support/solver_scenes.hpp"
#include "tests/support/test_data.hpp"

namespace panto {
namespace {

using test::Random;

DampedJacobianOptions with(JacobianDamping damping) {
  DampedJacobianOptions options;
  options.damping = damping;
  return options;
}

// every joint as free as its axis: no model's limit cuts a velocity
Model free_tree(std::uint64_t seed) {
  test::RandomModelOptions options;
  options.min_joints = 10;
  options.max_joints = 30;
  options.max_scale = 1.0;
  ModelSpec spec = test::random_spec(seed, options);
  for (Joint& joint : spec.joints) {
    joint.lower = joint.velocity = -kInfinity;
    joint.upper = joint.velocity = kInfinity;
  }
  return Model(spec);
}

// sqrt(W) J and sqrt(W) times the rates, stacked
std::pair<Eigen::MatrixXd, Eigen::VectorXd> stacked(const Model& model, const State& state,
                                                    const Targets& targets) {
  Kinematics kinematics(model);
  kinematics.update(state);
  std::vector<Eigen::MatrixXd> blocks;
  Eigen::MatrixXd J;
  Eigen::MatrixXd all(0, model.nv());
  Eigen::VectorXd rates(0);
  const auto append = [&](const Eigen::MatrixXd& rows, const Eigen::Vector3d& rate, double weight) {
    all.conservativeResize(all.rows() + 3, Eigen::NoChange);
    all.bottomRows(3) = std::sqrt(weight) * rows;
    rates.conservativeResize(rates.size() + 3);
    rates.tail(3) = std::sqrt(weight) * rate;
  };
  for (const Target& row : targets.rows) {
    kinematics.jacobian(row.link, J);
    if (row.has_orientation && row.orientation_weight > 0.0)
      append(J.bottomRows(3), row.w_WF, row.orientation_weight);
    if (row.has_position && row.position_weight > 0.0) append(J.topRows(3), row.v_WF, row.position_weight);
  }
  return {all, rates};
}

Eigen::VectorXd velocity(const Model& model, const State& state) {
  Eigen::VectorXd nu(model.nv());
  nu << state.v_WB, state.w_WB, state.sdot;
  return nu;
}

TEST(DampedJacobianSolver, InvertsAsTheTextbookDoes) {
  Random random(1);
  for (int i = 0; i < test::scaled(200); ++i) {
    const Model model = free_tree(static_cast<std::uint64_t>(i));
    State state = test::random_pose(model, random, 1.0);
    Targets targets = test::observed(model, test::random_state(model, random));
    for (std::size_t j = 0; j < targets.rows.size(); ++j) {
      if (j % 3 == 0) targets.rows[j].position_weight = 4.0;
      if (j % 4 == 1) targets.rows[j].has_orientation = false;
    }
    const auto [J, rates] = stacked(model, state, targets);
    const Eigen::JacobiSVD<Eigen::MatrixXd> svd(J, Eigen::ComputeThinU | Eigen::ComputeThinV);
    const double largest = svd.singularValues()[0];
    for (const JacobianDamping damping :
         {JacobianDamping::Plain, JacobianDamping::Constant, JacobianDamping::Adaptive}) {
      DampedJacobianSolver solver(model, targets.rows, DynamicalOptions{}, with(damping));
      State answer = state;
      solver.set_velocities(targets, answer);
      // sum over the singular values of s/(s^2 + lambda^2)
      Eigen::VectorXd nu = Eigen::VectorXd::Zero(model.nv());
      for (Eigen::Index k = 0; k < svd.singularValues().size(); ++k) {
        const double s = svd.singularValues()[k];
        if (damping == JacobianDamping::Plain && s < 1e-8 * largest) continue;
        nu += s / (s * s + solver.damping()) * svd.matrixU().col(k).dot(rates) * svd.matrixV().col(k);
      }
      // the normal matrix squares the condition
      const double tolerance = (damping == JacobianDamping::Plain ? 1e-7 : 1e-4) * (1.0 + nu.norm());
      EXPECT_LT((velocity(model, answer) - nu).norm(), tolerance)
          << model.name() << ", damping " << static_cast<int>(damping);
    }
  }
}

TEST(DampedJacobianSolver, DampsMoreTheNearerItIsToASingularPose) {
  // an arm that stretches: the last singular value of its Jacobian falls with the elbow's sine
  const Model model = human66();
  Targets targets = test::observed(model, rest_state(model));
  DampedJacobianSolver solver(model, targets.rows, DynamicalOptions{}, with(JacobianDamping::Adaptive));
  double damping = 0.0, sigma = 1.0;
  const int middle = model.joint_index("jLeftShoulder_roty");
  for (const double angle : {0.0, 1.4, 1.5, 1.55, std::numbers::pi / 2.0}) {
    State state = rest_state(model);
    state.s[middle] = angle;
    solver.set_velocities(targets, state);
    EXPECT_GE(solver.damping(), damping) << angle;
    EXPECT_LT(solver.sigma(), sigma) << angle;
    damping = solver.damping();
    sigma = solver.sigma();
    EXPECT_TRUE(angle > 0.0 || damping < 1e-7);
  }
  EXPECT_NEAR(sigma, 0.0, 1e-7);
  EXPECT_NEAR(damping, 0.01, 1e-6);  // lambda^2
}

// the largest speed of a joint while a shoulder passes its gimbal lock at 1 rad/s, 0.02 rad beside it, and
// the largest error on the way
std::pair<double, double> through_gimbal_lock(JacobianDamping damping) {
  const Model model = human66();
  State truth = rest_state(model);
  const int x = model.joint_index("jLeftShoulder_rotx"), y = model.joint_index("jLeftShoulder_roty");
  Targets targets = test::observed(model, truth);
  DampedJacobianSolver solver(model, targets.rows, DynamicalOptions{}, with(damping));
  State state = truth;
  double speed = 0.0, error = 0.0;
  for (int k = 0; k <= 200; ++k) {
    const double t = 0.01 * k;
    // a turn about a fixed axis that leads past the lock, not through it
    const Eigen::Matrix3d R = so3::exp({0.0, 0.0, 0.02}) * so3::exp({0.0, 0.6 + t, 0.0});
    const Eigen::Vector3d angles{std::atan2(-R(1, 2), R(2, 2)), std::asin(std::min(1.0, R(0, 2))),
                                 std::atan2(-R(0, 1), R(0, 0))};
    truth.s[x] = angles[0];
    truth.s[y] = angles[1];
    truth.s[y + 1] = angles[2];
    truth.t = frame_time(k, 100.0);
    test::stand_still(truth);
    test::observe(model, truth, targets);
    for (Target& row : targets.rows) row.has_angular_velocity = row.has_linear_velocity = false;
    if (k == 0) {
      state = truth;
      solver.prime(targets);
      continue;
    }
    EXPECT_TRUE(usable(solver.step(targets, state)));
    EXPECT_TRUE(is_valid(state, model));
    speed = std::max(speed, state.sdot.cwiseAbs().maxCoeff());
    error = std::max(error, test::worst_angle(model, state, targets));
  }
  return {speed, error};
}

TEST(DampedJacobianSolver, PassesASingularPoseTheCalmerTheMoreItIsDamped) {
  const auto [plain, plain_error] = through_gimbal_lock(JacobianDamping::Plain);
  const auto [constant, constant_error] = through_gimbal_lock(JacobianDamping::Constant);
  const auto [adaptive, adaptive_error] = through_gimbal_lock(JacobianDamping::Adaptive);
  std::printf("largest speed and error: plain %.1f rad/s %.3f rad, constant %.1f %.3f, adaptive %.1f %.3f\n",
              plain, plain_error, constant, constant_error, adaptive, adaptive_error);
  EXPECT_GT(plain, 3.0 * constant);
  EXPECT_GT(plain, 3.0 * adaptive);
  EXPECT_LT(constant, 20.0);
  EXPECT_LT(adaptive, 20.0);
}

TEST(DampedJacobianSolver, StaysFiniteOnTheSingularPoseItself) {
  const Model model = human66();
  Random random(3);
  for (const JacobianDamping damping :
       {JacobianDamping::Plain, JacobianDamping::Constant, JacobianDamping::Adaptive}) {
    State state = rest_state(model);
    for (int i = 1; i < model.dof(); i += 3) state.s[i] = std::numbers::pi / 2.0;
    Targets targets = test::observed(model, test::random_pose(model, random, 1.0));
    DampedJacobianSolver solver(model, targets.rows, DynamicalOptions{}, with(damping));
    for (int k = 1; k <= 50; ++k) {
      targets.t = frame_time(k, 50.0);
      ASSERT_TRUE(usable(solver.step(targets, state)));
      ASSERT_TRUE(is_valid(state, model));
    }
  }
}

TEST(DampedJacobianSolver, LeavesUndoneWhatAClampedJointCannotDo) {
  // what it is the baseline for: the exact solver gives the rest of the motion to the other joints
  const Model model = human48();
  State goal = rest_state(model);
  Targets targets = test::observed(model, goal);
  for (Target& row : targets.rows) row.R_WF = so3::exp({0.3, 0.4, 0.0}) * row.R_WF;
  targets.rows[0].R_WF.setIdentity();
  DampedJacobianSolver solver(model, targets.rows, DynamicalOptions{});
  State state = goal;
  StepStatus status = StepStatus::Solved;
  for (int k = 1; k <= 100; ++k) {
    targets.t = frame_time(k, 50.0);
    status = solver.step(targets, state);
    ASSERT_TRUE(usable(status));
  }
  EXPECT_EQ(status, StepStatus::Saturated);
  EXPECT_GT(solver.last_report().active_bounds, 0);
  EXPECT_LE(test::beyond_limits(model, state), 1e-12);
}

TEST(DampedJacobianSolver, RefusesDampingThatIsNone) {
  const Model model = human66();
  DampedJacobianOptions options;
  options.lambda = 0.0;
  EXPECT_THROW(DampedJacobianSolver(model, test::all_rows(model), {}, options), ConfigError);
  options = {};
  options.singular_below = -1.0;
  EXPECT_THROW(DampedJacobianSolver(model, test::all_rows(model), {}, options), ConfigError);
}

}  // namespace
}  // namespace panto
