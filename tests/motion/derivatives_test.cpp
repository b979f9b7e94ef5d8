#include "panto/motion/derivatives.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "panto/math/so3.hpp"

namespace panto {
namespace {

constexpr double kStep = 0.01;

Motion turning_motion(int frames) {
  Motion motion;
  for (int k = 0; k < frames; ++k) {
    const double t = kStep * k;
    State state;
    state.t = from_seconds(t);
    state.p_WB = Eigen::Vector3d(t * t, -2.0 * t, 1.0);
    state.R_WB = so3::exp(0.7 * t * Eigen::Vector3d::UnitZ());
    state.s = Eigen::Vector2d(std::sin(3.0 * t), 5.0 * t);
    state.sdot = Eigen::Vector2d::Constant(99.0);
    motion.states.push_back(state);
  }
  return motion;
}

TEST(DeriveVelocities, GivesTheDerivativesOfWhatIsPublished) {
  Motion motion = turning_motion(50);
  derive_velocities(motion);
  for (std::size_t k = 1; k + 1 < motion.states.size(); ++k) {
    const State& state = motion.states[k];
    const double t = kStep * static_cast<double>(k);
    EXPECT_LT((state.v_WB - Eigen::Vector3d(2.0 * t, -2.0, 0.0)).norm(), 1e-9);
    EXPECT_LT((state.w_WB - 0.7 * Eigen::Vector3d::UnitZ()).norm(), 1e-9);
    EXPECT_NEAR(state.sdot[0], 3.0 * std::cos(3.0 * t), 5e-4);  // h^2 / 6 of the third derivative, 27
    EXPECT_NEAR(state.sdot[1], 5.0, 1e-9);
  }
}

TEST(DeriveVelocities, DoesNotLookAcrossCuts) {
  Motion motion = turning_motion(4);
  motion.states[2].p_WB.x() += 100.0;
  motion.states[3].p_WB.x() += 100.0;
  derive_velocities(motion, {2});
  for (const State& state : motion.states) EXPECT_LT(state.v_WB.norm(), 3.0);
}

TEST(DeriveVelocities, AFrameAloneStandsStill) {
  Motion motion = turning_motion(1);
  derive_velocities(motion);
  EXPECT_EQ(motion.states[0].sdot.norm() + motion.states[0].v_WB.norm() + motion.states[0].w_WB.norm(), 0.0);
}

}  // namespace
}  // namespace panto
