#include "panto/sample/human_pose.hpp"

#include <gtest/gtest.h>

#include <random>

#include "panto/base/error.hpp"
#include "panto/base/index.hpp"
#include "panto/math/so3.hpp"

namespace panto {
namespace {

State random_state(const Model& model, std::mt19937_64& engine) {
  std::uniform_real_distribution<double> uniform(-0.7, 0.7);
  State state = rest_state(model);
  for (Eigen::Index i = 0; i < state.s.size(); ++i) {
    state.s[i] = uniform(engine);
    state.sdot[i] = uniform(engine);
  }
  state.p_WB = {uniform(engine), uniform(engine), uniform(engine)};
  state.R_WB = so3::exp({uniform(engine), uniform(engine), uniform(engine)});
  state.v_WB = {uniform(engine), uniform(engine), uniform(engine)};
  state.w_WB = {uniform(engine), uniform(engine), uniform(engine)};
  return state;
}

TEST(HumanPose, HasTheVelocitiesOfItsPoses) {
  const Model model = human66();
  HumanPose pose(model);
  std::mt19937_64 engine(1);
  constexpr double kStep = 1e-5;  // [s]
  for (int round = 0; round < 20; ++round) {
    const State state = random_state(model, engine);
    State after = state;
    after.s += kStep * state.sdot;
    after.p_WB += kStep * state.v_WB;
    after.R_WB = so3::exp(kStep * state.w_WB) * state.R_WB;
    SegmentSample now, then;
    pose.read(state, now);
    pose.read(after, then);
    ASSERT_EQ(now.segments.size(), at(kHumanSegmentCount));
    for (std::size_t i = 0; i < now.segments.size(); ++i) {
      const SegmentMotion &a = now.segments[i], &b = then.segments[i];
      EXPECT_LT(((b.p_WS - a.p_WS) / kStep - a.v_WS).norm(), 1e-3);
      EXPECT_LT((so3::log(b.R_WS * a.R_WS.transpose()) / kStep - a.w_WS).norm(), 1e-3);
      EXPECT_TRUE(a.has_orientation && a.has_position && a.has_angular_velocity && a.has_linear_velocity);
    }
  }
}

TEST(HumanPose, RefusesAModelWithoutASegment) {
  ModelSpec spec;
  spec.name = "stick";
  spec.links = {Link{.name = "Pelvis"}};
  try {
    HumanPose pose{Model(spec)};
    FAIL();
  } catch (const ConfigError& error) {
    EXPECT_STREQ(error.what(), "'stick' is not a human model (no link 'L5')");
  }
}

}  // namespace
}  // namespace panto
