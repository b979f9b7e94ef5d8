#include "panto/model/state.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "panto/math/so3.hpp"
#include "panto/model/human.hpp"
#include "tests/support/random_model.hpp"

namespace panto {
namespace {

State two_joint_state() {
  State state;
  state.t = 1'500'000'000;
  state.p_WB = {0.25, -1.0, 0.9};
  state.R_WB = Eigen::Vector3d(1.0, -1.0, -1.0).asDiagonal();
  state.s = Eigen::Vector2d(0.5, -2.0);
  state.v_WB = {1.0, 2.0, 3.0};
  state.w_WB = {0.0, -0.125, 0.0};
  state.sdot = Eigen::Vector2d(4.0, 5.0);
  return state;
}

TEST(StateHash, IsFnv1aOverLittleEndianBytesInTheStatedOrder) {
  // computed apart from this code: FNV-1a 64 over struct.pack("<qddd dddd dd ddd ddd dd") of the values above
  State state = two_joint_state();
  const Eigen::Vector4d q = so3::to_quaternion_wxyz(state.R_WB);
  ASSERT_EQ(q, Eigen::Vector4d(0.0, 1.0, 0.0, 0.0)) << "the quaternion must come back exactly for this test";
  EXPECT_EQ(state_hash(state), 0x81caaa9b680edd13ULL);
}

TEST(StateHash, DoesNotTellMinusZeroFromZero) {
  State plus = two_joint_state(), minus = plus;
  plus.s[0] = plus.p_WB[1] = plus.v_WB[2] = plus.sdot[1] = 0.0;
  minus.s[0] = minus.p_WB[1] = minus.v_WB[2] = minus.sdot[1] = -0.0;
  minus.w_WB[0] = -0.0;
  EXPECT_EQ(state_hash(plus), state_hash(minus));
}

TEST(StateHash, SeesEveryValue) {
  const State state = two_joint_state();
  const std::uint64_t hash = state_hash(state);
  const auto differs = [&](auto change) {
    State other = state;
    change(other);
    return state_hash(other) != hash;
  };
  constexpr double tiny = 1e-15;
  EXPECT_TRUE(differs([](State& x) { x.t += 1; }));
  for (int k = 0; k < 3; ++k) {
    EXPECT_TRUE(differs([&](State& x) { x.p_WB[k] += 1e-14; }));
    EXPECT_TRUE(differs([&](State& x) { x.v_WB[k] += 1e-14; }));
    EXPECT_TRUE(differs([&](State& x) { x.w_WB[k] += tiny; }));
    EXPECT_TRUE(differs([&](State& x) { x.R_WB = x.R_WB * so3::about_axis(k, 1e-12); }));
  }
  for (int k = 0; k < 2; ++k) {
    EXPECT_TRUE(differs([&](State& x) { x.s[k] += tiny; }));
    EXPECT_TRUE(differs([&](State& x) { x.sdot[k] += 2.0 * tiny; }));
  }
}

TEST(StateHash, ChainsOverFramesAndDependsOnTheirOrder) {
  State a = two_joint_state(), b = a;
  b.t += 1;
  const std::uint64_t ab = state_hash(b, state_hash(a)), ba = state_hash(a, state_hash(b));
  EXPECT_NE(ab, ba);
  EXPECT_NE(ab, state_hash(b));
  EXPECT_EQ(ab, state_hash(b, state_hash(a)));
}

TEST(State, RestsInTheModelsRestPoseAtTheOrigin) {
  const Model model = human48();
  const State state = rest_state(model);
  EXPECT_EQ(state.s, model.rest());
  EXPECT_EQ(state.sdot, Eigen::VectorXd(Eigen::VectorXd::Zero(48)));
  EXPECT_EQ(state.t, 0);
  EXPECT_EQ(state.R_WB, Eigen::Matrix3d(Eigen::Matrix3d::Identity()));
  EXPECT_TRUE(is_valid(state, model));
}

TEST(State, IsValidOnlyWhenEveryNumberIsFiniteAndTheBaseIsARotation) {
  const Model model = human48();
  const State good = rest_state(model);
  const auto valid = [&](auto change) {
    State state = good;
    change(state);
    return is_valid(state, model);
  };
  for (const double bad :
       {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    EXPECT_FALSE(valid([&](State& x) { x.s[47] = bad; }));
    EXPECT_FALSE(valid([&](State& x) { x.sdot[0] = bad; }));
    EXPECT_FALSE(valid([&](State& x) { x.p_WB[1] = bad; }));
    EXPECT_FALSE(valid([&](State& x) { x.v_WB[2] = bad; }));
    EXPECT_FALSE(valid([&](State& x) { x.w_WB[0] = bad; }));
    EXPECT_FALSE(valid([&](State& x) { x.R_WB(1, 2) = bad; }));
  }
  EXPECT_FALSE(valid([](State& x) { x.s.conservativeResize(47); }));
  EXPECT_FALSE(valid([](State& x) { x.sdot.resize(0); }));
  EXPECT_FALSE(valid([](State& x) { x.R_WB *= 1.0 + 1e-6; }));
  EXPECT_FALSE(valid([](State& x) { x.R_WB = -x.R_WB; }));
  EXPECT_TRUE(valid([](State& x) { x.R_WB *= 1.0 + 1e-7; }));
}

TEST(State, IsAPlainValueSoThatACopyIsACheckpoint) {
  const Model model = human48();
  test::Random random(1);
  State state = test::random_state(model, random);
  const State copy = state;
  const std::uint64_t hash = state_hash(state);
  state.s.setZero();
  state.p_WB.setZero();
  EXPECT_EQ(state_hash(copy), hash);
}

}  // namespace
}  // namespace panto
