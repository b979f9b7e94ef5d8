// Poses that explain one sample: is the true one among them, and which comes first where several do?

#include "panto/inertial/pose_search.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numbers>

#include "panto/math/euler.hpp"
#include "tests/support/right_arm.hpp"

namespace panto {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;
using test::kDegree;
using test::Random;

// any rotation, all alike
Matrix3d any_turn(Random& random) {
  Eigen::Vector4d wxyz;
  for (int k = 0; k < 4; ++k) wxyz[k] = normal(random);
  return so3::from_quaternion_wxyz(wxyz.normalized());
}

// the arm anyhow in motion, and what its sensors feel
struct Arm {
  Arm()
      : shoulder(*std::find_if(layout.balls().begin(), layout.balls().end(), [this](const auto& ball) {
          return ball.unknown[0] == model.joint_index("shoulder_adduction");
        })) {}

  // Joints as they work, the shoulder anywhere; nothing is known of `unknowns`, which `rest` then is without.
  void move(Random& random, const std::vector<int>& unknowns) {
    State state = rest_state(model);
    for (int i = 0; i < model.dof(); ++i)
      state.s[i] = (test::kWork[at(i)][0] + test::kWork[at(i)][1] * normal(random)) * kDegree;
    StateAcceleration none;
    none.sddot = Eigen::VectorXd::Zero(model.dof());
    truth = layout.motion(state, none);
    truth.reference[at(layout.reference_of(shoulder))] = any_turn(random);
    for (int u = 0; u < layout.unknowns(); ++u) {
      truth.qdot[u] = 1.5 * normal(random);
      truth.qddot[u] = 10.0 * normal(random);
    }
    imus.update(truth);
    rest = truth;
    const ChainMotion at_rest = layout.motion(rest_state(model), none);
    for (const int u : unknowns) {
      rest.q[u] = at_rest.q[u], rest.qdot[u] = rest.qddot[u] = 0.0;
      if (u == shoulder.unknown[0])
        rest.reference[at(layout.reference_of(shoulder))] =
            at_rest.reference[at(layout.reference_of(shoulder))];
    }
  }

  [[nodiscard]] FeltMotion felt(int imu) const {
    FeltMotion result;
    const auto& y = imus.imu(imu).y;
    result.reading.gyro = y.head<3>(), result.reading.acc = y.segment<3>(3), result.reading.mag = y.tail<3>();
    result.reading.has_gyro = result.reading.has_acc = result.reading.has_mag = true;
    result.alpha_I = imus.R_WI(imu).transpose() * imus.angular_acceleration(imu);
    return result;
  }

  // between the orientations that two motions give a sensor [deg]
  double apart_deg(int imu, const ChainMotion& motion) {
    ImuModel other = imus;
    other.update(motion);
    return so3::log(other.R_WI(imu).transpose() * imus.R_WI(imu)).norm() / kDegree;
  }

  Model model = dh_model(test::right_arm_tree(PANTO_CHAINS));
  ChainLayout layout{model};
  ChainLayout::Ball shoulder;
  ImuModel imus{layout, test::right_arm_mounts()};
  ChainMotion truth, rest;
};

constexpr int kUpperArm = 2, kForearm = 3;

// next to nothing is known before
PoseSearchOptions nothing_known() {
  PoseSearchOptions options;
  options.prior = {30.0, 30.0, 300.0};
  return options;
}

TEST(PoseSearch, ABallIsFoundWhereverItIs) {
  Arm arm;
  Random random(1);
  const std::vector<int> unknowns(arm.shoulder.unknown.begin(), arm.shoulder.unknown.end());
  PoseSearch search(arm.imus, nothing_known());
  double furthest = 0.0;
  for (int run = 0; run < 30; ++run) {
    arm.move(random, unknowns);
    furthest = std::max(furthest, arm.apart_deg(kUpperArm, arm.rest));
    const auto poses = search.poses(arm.rest, kUpperArm, unknowns, arm.felt(kUpperArm));
    EXPECT_LT(arm.apart_deg(kUpperArm, poses.front().motion), 0.5) << "run " << run;
    EXPECT_LT(poses.front().cost, 1.0) << "run " << run;
  }
  EXPECT_GT(furthest, 150.0) << "[deg] from rest";
}

// two hinges between upper arm and forearm; an elbow bends one way
TEST(PoseSearch, HingesAreFoundInsideTheirLimits) {
  Arm arm;
  Random random(2);
  const int first = arm.model.joint_index("elbow_flexion");
  const std::vector<int> unknowns{first, first + 1};
  PoseSearchOptions options = nothing_known();
  options.limit = 0.0175;
  PoseSearch search(arm.imus, options);
  for (int run = 0; run < 30; ++run) {
    arm.move(random, unknowns);
    const auto inside = [&](int u) {
      const double q = arm.truth.q[u];
      return q > arm.model.lower()[u] && q < arm.model.upper()[u];
    };
    if (!inside(first) || !inside(first + 1)) continue;
    const auto poses = search.poses(arm.rest, kForearm, unknowns, arm.felt(kForearm));
    for (const int u : unknowns)
      EXPECT_NEAR(poses.front().motion.q[u], arm.truth.q[u], 0.5 * kDegree) << "run " << run;
  }
}

// Without a field nothing at rest tells a turn about the vertical: the nearest pose comes first.
TEST(PoseSearch, WhatIsNotToldStaysWhereItWas) {
  Arm arm;
  Random random(3);
  const std::vector<int> unknowns(arm.shoulder.unknown.begin(), arm.shoulder.unknown.end());
  arm.move(random, unknowns);
  arm.truth.reference = arm.rest.reference;
  arm.truth.qdot.setZero();
  arm.truth.qddot.setZero();
  arm.rest = arm.truth;
  arm.imus.update(arm.truth);
  const Matrix3d R_WI = arm.imus.R_WI(kUpperArm);
  FeltMotion felt = arm.felt(kUpperArm);
  felt.reading.has_mag = false;
  const Matrix3d lean = so3::exp({0.6, 0.0, 0.0});  // about x of W: it felt another up
  felt.reading.acc = R_WI.transpose() * lean.transpose() * R_WI * felt.reading.acc;
  PoseSearchOptions options = nothing_known();
  options.prior = {0.6, 0.1, 0.1};
  PoseSearch search(arm.imus, options);
  const auto poses = search.poses(arm.rest, kUpperArm, unknowns, felt);
  ASSERT_GE(poses.size(), 1U);
  EXPECT_TRUE(std::is_sorted(poses.begin(), poses.end(),
                             [](const LikelyPose& a, const LikelyPose& b) { return a.cost < b.cost; }));
  arm.imus.update(poses.front().motion);
  const Vector3d turn = so3::log(arm.imus.R_WI(kUpperArm) * R_WI.transpose());
  EXPECT_NEAR(turn.norm(), 0.6, 0.01);
  EXPECT_NEAR(turn.z(), 0.0, 0.01) << "about the vertical";
}

}  // namespace
}  // namespace panto
