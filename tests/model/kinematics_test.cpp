#include "panto/model/kinematics.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "panto/math/so3.hpp"
#include "tests/support/kinematics_checks.hpp"
#include "tests/support/random_model.hpp"
#include "tests/support/test_data.hpp"

namespace panto {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

constexpr test::RandomModelOptions kAllSizes{.min_scale = 1e-4, .max_scale = 1e4};

TEST(Kinematics, JacobiansAreTheDerivativesOfThePoses) {
  for (std::uint64_t seed = 0; seed < static_cast<std::uint64_t>(test::scaled(60)); ++seed) {
    const Model model = test::random_model(seed, kAllSizes);
    test::Random random(seed);
    // 1e-6 is asked for; steps of 1e-6 leave 1e-10 of rounding and 1e-12 of truncation
    EXPECT_LT(test::jacobian_error(model, test::random_state(model, random)), 1e-8) << "seed " << seed;
  }
}

TEST(Kinematics, VelocitiesAreTheDerivativesOfThePosesInTime) {
  for (std::uint64_t seed = 0; seed < static_cast<std::uint64_t>(test::scaled(200)); ++seed) {
    const Model model = test::random_model(seed, kAllSizes);
    test::Random random(seed);
    // speeds of 2 rad/s through up to 80 joints: angular rates of 100 make truncation 1e-12 * 100^3
    EXPECT_LT(test::velocity_error(model, test::random_state(model, random)), 1e-6) << "seed " << seed;
  }
}

TEST(Kinematics, VelocitiesAreTheJacobianTimesNu) {
  for (std::uint64_t seed = 0; seed < static_cast<std::uint64_t>(test::scaled(200)); ++seed) {
    for (const bool floating : {true, false}) {
      ModelSpec spec = test::random_spec(seed, kAllSizes);
      spec.floating_base = floating;
      const Model model{std::move(spec)};
      test::Random random(seed);
      State state = test::random_state(model, random);
      if (!floating) state.v_WB = state.w_WB = Vector3d::Zero();
      EXPECT_LT(test::jacobian_times_nu_error(model, state), 1e-12) << "seed " << seed;
    }
  }
}

TEST(Kinematics, MovingTheBaseMovesEverythingWithIt) {
  for (std::uint64_t seed = 0; seed < static_cast<std::uint64_t>(test::scaled(200)); ++seed) {
    const Model model = test::random_model(seed, kAllSizes);
    test::Random random(seed);
    const State state = test::random_state(model, random);
    const Matrix3d R = test::random_rotation(random);
    const Vector3d p = test::random_vector(random, 5.0);
    State moved = state;
    moved.R_WB = R * state.R_WB;
    moved.p_WB = R * state.p_WB + p;
    moved.v_WB = R * state.v_WB;
    moved.w_WB = R * state.w_WB;

    Kinematics before(model), after(model);
    before.update_with_velocities(state);
    after.update_with_velocities(moved);
    const double size = test::model_size(before);
    for (int link = 0; link < model.link_count(); ++link) {
      EXPECT_LT((after.R_WL(link) - R * before.R_WL(link)).norm(), 1e-13) << "seed " << seed;
      EXPECT_LT((after.p_WL(link) - (R * before.p_WL(link) + p)).norm(), 1e-13 * size) << "seed " << seed;
      EXPECT_LT((after.w_WL(link) - R * before.w_WL(link)).norm(), 1e-12) << "seed " << seed;
      EXPECT_LT((after.v_WL(link) - R * before.v_WL(link)).norm(), 1e-11 * size) << "seed " << seed;
    }
  }
}

TEST(Kinematics, OrientationsStayOrthonormalAlongEightyJoints) {
  for (std::uint64_t seed = 0; seed < static_cast<std::uint64_t>(test::scaled(100)); ++seed) {
    const Model model = test::random_model(seed, {.min_joints = 80});
    test::Random random(seed);
    Kinematics kinematics(model);
    kinematics.update(test::random_state(model, random));
    for (int link = 0; link < model.link_count(); ++link) {
      const Matrix3d R = kinematics.R_WL(link);
      // each product adds about 2e-16
      EXPECT_LT((R.transpose() * R - Matrix3d::Identity()).cwiseAbs().maxCoeff(), 5e-14) << "seed " << seed;
    }
  }
}

// every joint on its own against the definition: p_C = p_P + R_P p_PJ, R_C = R_P R_PJ exp(axis s)
TEST(Kinematics, EveryJointPlacesItsChildAsItsDefinitionSays) {
  for (std::uint64_t seed = 0; seed < static_cast<std::uint64_t>(test::scaled(200)); ++seed) {
    const Model model = test::random_model(seed, kAllSizes);
    test::Random random(seed);
    const State state = test::random_state(model, random);
    Kinematics kinematics(model);
    kinematics.update(state);
    const double size = test::model_size(kinematics);
    for (const Joint& joint : model.all_joints()) {
      const int parent = model.link_index(joint.parent), child = model.link_index(joint.child);
      const double s = joint.type == JointType::Fixed ? 0.0 : state.s[model.joint_index(joint.name)];
      Matrix3d R = kinematics.R_WL(parent) * joint.R_PJ;
      Vector3d p = kinematics.p_WL(parent) + kinematics.R_WL(parent) * joint.p_PJ;
      if (joint.type == JointType::Prismatic) p += R * (s * joint.axis);
      if (joint.type == JointType::Revolute) R = R * so3::exp(s * joint.axis);
      EXPECT_LT((kinematics.R_WL(child) - R).norm(), 1e-13) << joint.name << ", seed " << seed;
      EXPECT_LT((kinematics.p_WL(child) - p).norm(), 1e-13 * size) << joint.name << ", seed " << seed;
    }
  }
}

TEST(Kinematics, SphericalTriplesAreTheEulerProductTheyClaim) {
  int spherical = 0;
  for (std::uint64_t seed = 0; seed < static_cast<std::uint64_t>(test::scaled(200)); ++seed) {
    const Model model = test::random_model(seed, kAllSizes);
    test::Random random(seed);
    const State state = test::random_state(model, random);
    Kinematics kinematics(model);
    kinematics.update(state);
    const Tree& tree = model.tree();
    for (const JointGroup& group : tree.groups) {
      if (!group.spherical) continue;
      ++spherical;
      const auto body = [](int i) { return static_cast<std::size_t>(i); };
      const Matrix3d R_PC = kinematics.body_rotation()[body(tree.parent[body(group.body[0])])].transpose() *
                            kinematics.body_rotation()[body(group.body[2])];
      const auto s = [&](std::size_t k) { return state.s[tree.dof[body(group.body[k])]]; };
      const Matrix3d euler =
          so3::about_axis(0, s(0)) * so3::about_axis(1, s(1) + group.mu) * so3::about_axis(2, s(2));
      EXPECT_LT((group.A * R_PC * group.B - euler).norm(), 1e-12) << "seed " << seed;
    }
  }
  EXPECT_GT(spherical, 300) << "the random trees should hold many triples";
}

TEST(Kinematics, TreeParentsComeFirstAndLevelsNeverFall) {
  for (std::uint64_t seed = 0; seed < static_cast<std::uint64_t>(test::scaled(200)); ++seed) {
    const Model model = test::random_model(seed);
    const Tree& tree = model.tree();
    ASSERT_EQ(tree.size(), model.dof() + 1);
    for (int i = 1; i < tree.size(); ++i) {
      const auto k = static_cast<std::size_t>(i);
      EXPECT_LT(tree.parent[k], i);
      EXPECT_EQ(tree.level[k], tree.level[static_cast<std::size_t>(tree.parent[k])] + 1);
      EXPECT_GE(tree.level[k], tree.level[k - 1]) << "seed " << seed;
    }
  }
}

}  // namespace
}  // namespace panto
