#include "panto/inertial/chain_layout.hpp"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <tuple>

#include "panto/model/human.hpp"
#include "panto/model/kinematics.hpp"
#include "tests/support/kinematics_checks.hpp"
#include "tests/support/random_chain.hpp"
#include "tests/support/test_data.hpp"

namespace panto {
namespace {

using Triples = ChainLayout::Triples;
using Eigen::Vector3d;

// a state `t` seconds along constant accelerations, exact to the third order
State after(const State& state, const StateAcceleration& acceleration, double t) {
  State result = state;
  result.s += t * state.sdot + t * t / 2.0 * acceleration.sddot;
  result.sdot += t * acceleration.sddot;
  result.p_WB += t * state.v_WB + t * t / 2.0 * acceleration.a_WB;
  result.v_WB += t * acceleration.a_WB;
  result.R_WB = so3::exp(t * state.w_WB + t * t / 2.0 * acceleration.alpha_WB) * state.R_WB;
  result.w_WB += t * acceleration.alpha_WB;
  return result;
}

class AnyChain : public testing::TestWithParam<std::tuple<bool, Triples>> {
 protected:
  // calls check(layout, imus, state, acceleration, seed) for random chains
  template <typename Check>
  void on_random_chains(int count, Check check) const {
    const auto [floating, triples] = GetParam();
    for (int seed = 0; seed < test::scaled(count); ++seed) {
      const Model model = test::random_chain(static_cast<std::uint64_t>(seed), floating);
      const ChainLayout layout(model, triples);
      test::Random random(static_cast<std::uint64_t>(seed));
      ImuModel imus = test::random_imus(layout, random);
      State state = test::random_state(model, random);
      StateAcceleration acceleration = test::random_acceleration(model, random);
      if (!floating) {
        state.v_WB = state.w_WB = acceleration.a_WB = acceleration.alpha_WB = Vector3d::Zero();
      }
      check(layout, imus, state, acceleration, seed);
    }
  }
};

TEST_P(AnyChain, PosesAndVelocitiesAreThoseOfKinematics) {
  on_random_chains(100, [](const ChainLayout& layout, ImuModel& imus, const State& state,
                           const StateAcceleration& acceleration, int seed) {
    const Model& model = layout.model();
    imus.update(layout.motion(state, acceleration));
    Kinematics kinematics(model);
    kinematics.update_with_velocities(state);
    for (int k = 0; k < static_cast<int>(imus.imus().size()); ++k) {
      const ImuMount& mount = imus.imus()[static_cast<std::size_t>(k)];
      const int link = model.link_index(mount.link);
      const Vector3d lever = kinematics.R_WL(link) * mount.p_LI;
      const Vector3d w = kinematics.w_WL(link), v = kinematics.v_WL(link) + w.cross(lever);
      EXPECT_LT((imus.R_WI(k) - kinematics.R_WL(link) * mount.R_LI).norm(), 1e-13) << "seed " << seed;
      EXPECT_LT((imus.point(k).p - kinematics.p_WL(link) - lever).norm(), 1e-12) << "seed " << seed;
      EXPECT_LT((imus.w_WI(k) - w).norm(), 1e-12 * std::max(1.0, w.norm())) << "seed " << seed;
      EXPECT_LT((imus.point(k).v - v).norm(), 1e-12 * std::max(1.0, v.norm())) << "seed " << seed;
      EXPECT_LT((imus.imu(k).y.head<3>() - imus.R_WI(k).transpose() * w).norm(), 1e-11) << "seed " << seed;
    }
  });
}

TEST_P(AnyChain, AccelerationsAreTheDerivativesOfVelocities) {
  on_random_chains(50, [](const ChainLayout& layout, ImuModel& imus, const State& state,
                          const StateAcceleration& acceleration, int seed) {
    constexpr double step = 1e-4;
    Kinematics ahead(layout.model()), behind(layout.model());
    ahead.update_with_velocities(after(state, acceleration, step));
    behind.update_with_velocities(after(state, acceleration, -step));
    imus.update(layout.motion(state, acceleration));
    const auto velocity = [](const Kinematics& kinematics, int link, const Vector3d& p_L) -> Vector3d {
      return kinematics.v_WL(link) + kinematics.w_WL(link).cross(kinematics.R_WL(link) * p_L);
    };
    for (int k = 0; k < static_cast<int>(imus.points().size()); ++k) {
      const PointMount& mount = imus.points()[static_cast<std::size_t>(k)];
      const int link = layout.model().link_index(mount.link);
      const Vector3d a =
          (velocity(ahead, link, mount.p_LP) - velocity(behind, link, mount.p_LP)) / (2 * step);
      const Vector3d alpha = (ahead.w_WL(link) - behind.w_WL(link)) / (2 * step);
      // second-order differences of motions with rates of up to 40 rad/s: (40 step)^2 of the value
      EXPECT_LT((imus.point(k).a - a).norm(), 2e-5 * std::max(100.0, a.norm())) << "seed " << seed;
      EXPECT_LT((imus.angular_acceleration(k) - alpha).norm(), 2e-5 * std::max(100.0, alpha.norm()))
          << "seed " << seed;
    }
  });
}

INSTANTIATE_TEST_SUITE_P(Bases, AnyChain,
                         testing::Combine(testing::Bool(), testing::Values(Triples::Balls, Triples::Hinges)));

TEST(ChainLayout, TheHumansTriplesAreBalls) {
  const Model human = human66();
  const ChainLayout layout(human), hinges(human, Triples::Hinges);
  EXPECT_EQ(layout.unknowns(), 72);
  EXPECT_EQ(layout.steps().size(), 72u);
  EXPECT_EQ(layout.balls().size(), 1u + 22u) << "the base and 22 joints";
  EXPECT_EQ(hinges.balls().size(), 1u);
}

TEST(ChainLayout, AMotionGivesItsStateBack) {
  for (int seed = 0; seed < test::scaled(50); ++seed) {
    const Model model = test::random_chain(static_cast<std::uint64_t>(seed), seed % 2 == 0);
    const ChainLayout layout(model);
    test::Random random(static_cast<std::uint64_t>(seed));
    State state = test::random_state(model, random);
    if (!model.floating_base()) state.v_WB = state.w_WB = Vector3d::Zero();
    State back = state;  // says the branch
    back.p_WB.setZero();
    back.R_WB.setIdentity();
    back.sdot.setZero();
    layout.state(layout.motion(state, test::random_acceleration(model, random)), back);
    EXPECT_LT((back.s - state.s).cwiseAbs().maxCoeff(), 1e-9) << "seed " << seed;
    EXPECT_LT((back.p_WB - state.p_WB).norm() + (back.v_WB - state.v_WB).norm(), 1e-12) << "seed " << seed;
    EXPECT_LT((back.R_WB - state.R_WB).norm() + (back.w_WB - state.w_WB).norm(), 1e-10) << "seed " << seed;
    // rates of triples are damped by 1e-6 where their middle angle comes near 90 deg
    EXPECT_LT((back.sdot - state.sdot).cwiseAbs().maxCoeff(), 0.05 * (1.0 + state.sdot.cwiseAbs().maxCoeff()))
        << "seed " << seed;
  }
}

TEST(ChainLayout, RefusesALinkInsideABall) {
  const Model human = human66();
  const ChainLayout layout(human);
  const std::string inside = human.joint(0).child;  // the first of the three hinges at L5S1
  try {
    (void)layout.seat(human.link_index(inside));
    FAIL();
  } catch (const ModelError& error) {
    EXPECT_NE(std::string(error.what()).find("link '" + inside + "'"), std::string::npos) << error.what();
  }
  EXPECT_NO_THROW((void)ChainLayout(human, Triples::Hinges).seat(human.link_index(inside)));
}

}  // namespace
}  // namespace panto
