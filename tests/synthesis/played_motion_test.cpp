#include "panto/synthesis/played_motion.hpp"

#include <gtest/gtest.h>

#include "panto/base/error.hpp"
#include "panto/model/human.hpp"
#include "tests/support/refusals.hpp"

namespace panto {
namespace {

// a second of 0.3 m/s along x that begins at 5 s
Motion walk(const Model& model) {
  Motion motion;
  for (int k = 0; k <= 100; ++k) {
    motion.states.push_back(rest_state(model));
    motion.states.back().t = Time{5'000'000'000} + Time{10'000'000} * k;
    motion.states.back().p_WB.x() = 0.003 * k;
  }
  return motion;
}

TEST(PlayedMotion, BeginsAtZeroWhateverTheStampsAre) {
  const Model model = human66(scaled_subject(1.75));
  const PlayedMotion played(walk(model), model, "walk.csv");
  EXPECT_DOUBLE_EQ(played.duration(), 1.0);
  State state = rest_state(model);
  StateAcceleration acceleration;
  acceleration.sddot = Eigen::VectorXd::Zero(model.dof());
  played.law()(Time{500'000'000}, state, acceleration);
  EXPECT_NEAR(state.p_WB.x(), 0.15, 1e-9) << "half of the way";
  EXPECT_NEAR(state.v_WB.x(), 0.3, 1e-6);
}

TEST(PlayedMotion, IsRefusedWhereItIsTooShort) {
  const Model model = human66(scaled_subject(1.75));
  EXPECT_DOUBLE_EQ(PlayedMotion(walk(model), model, "walk.csv", 0.4).duration(), 0.4);
  const auto refusal = [&](const Motion& motion, double duration) {
    return test::refusal_of([&] { (void)PlayedMotion(motion, model, "walk.csv", duration); });
  };
  EXPECT_NE(refusal(walk(model), 2.0).find("'walk.csv' ends after 1 s"), std::string::npos);
  EXPECT_NE(refusal({}, 0.1).find("walk.csv: a motion needs at least two rows"), std::string::npos);
}

}  // namespace
}  // namespace panto
