// Which side of its bounds a joint is expected on.

#include "panto/tree_qp/side_forecast.hpp"

#include <gtest/gtest.h>

#include "panto/model/model.hpp"

namespace panto {
namespace {

// One joint within [-1, 1]; all other slots have no bounds. Curvature 2.
class OneJoint : public testing::Test {
 protected:
  OneJoint()
      : lower_(1, -kInfinity), upper_(1, kInfinity), curvature_(1, 2.0), rho_(1), side_(1), forecast_(1) {
    lower_[0] = -1.0;
    upper_[0] = 1.0;
  }

  // an answer whose joint has its optimum at `rho`
  void learn(double rho) {
    rho_[0] = rho;
    side_[0] = rho >= upper_[0] ? 1.0 : rho <= lower_[0] ? -1.0 : 0.0;
    forecast_.learn(lower_, upper_, side_, rho_, curvature_);
  }

  // the side that the next answer is expected to have
  double expected() {
    forecast_.apply(lower_, upper_, side_);
    return side_[0];
  }

  LaneArray<3> lower_, upper_, curvature_, rho_, side_;
  SideForecast forecast_;
};

TEST_F(OneJoint, IsExpectedAtTheBoundThatItIsAboutToReach) {
  for (const double sign : {1.0, -1.0}) {
    forecast_.forget();
    for (const double rho : {0.3, 0.5, 0.7}) learn(sign * rho);
    EXPECT_EQ(expected(), 0.0) << "0.7 + 0.2";
    learn(sign * 0.88);
    EXPECT_EQ(expected(), sign) << "0.88 + 0.18";
  }
}

TEST_F(OneJoint, IsExpectedToLeaveABoundThatHasNearlyLetItGo) {
  for (const double rho : {1.5, 1.3, 1.1}) learn(rho);
  EXPECT_EQ(side_[0], 1.0);
  EXPECT_EQ(expected(), 0.0) << "1.2 - 0.4 by the multiplier: twice what the optimum is off by";
}

TEST_F(OneJoint, StaysAtABoundWhileItsMultiplierDoes) {
  // other joints change sides, and with them the curvature
  for (const double rho : {1.9, 1.5, 1.1}) {
    curvature_[0] = 0.5 / (rho - 1.0);
    learn(rho);
  }
  EXPECT_EQ(expected(), 1.0) << "the multiplier is 0.5 all the time, though the optimum seems to go to 0.7";
}

TEST_F(OneJoint, KeepsItsSideWhereTheMotionIsNoise) {
  for (const double rho : {0.2, 0.9, 0.3, 0.95}) learn(rho);
  EXPECT_EQ(expected(), 0.0) << "going on would lead to 1.6";
}

TEST_F(OneJoint, KeepsItsSideBeforeThereAreThreeAnswers) {
  learn(0.5);
  learn(0.9);
  EXPECT_EQ(expected(), 0.0) << "0.9 + 0.4 on the strength of two answers";
  learn(1.3);
  forecast_.forget();
  side_[0] = 0.0;
  EXPECT_EQ(expected(), 0.0) << "nothing is known any more";
}

TEST_F(OneJoint, KeepsItsSideWhereItsBoundsMeet) {
  lower_[0] = upper_[0] = 0.7;
  for (const double rho : {0.9, 0.8, 0.7}) learn(rho);
  side_[0] = 1.0;
  EXPECT_EQ(expected(), 1.0) << "either side is as good; changing it costs an elimination";
}

TEST_F(OneJoint, IsComparedWithTheBoundsOfTheNextProblem) {
  for (const double rho : {0.1, 0.2, 0.3}) learn(rho);
  upper_[0] = 0.35;
  EXPECT_EQ(expected(), 1.0);
  upper_[0] = 0.45;
  EXPECT_EQ(expected(), 0.0);
}

TEST(SideForecast, LeavesSlotsWithoutAJointFree) {
  const LaneArray<3> lower(8, -kInfinity), upper(8, kInfinity), curvature(8, 1.0), rho(8);
  LaneArray<3> side(8);
  SideForecast forecast(8);
  for (int i = 0; i < 4; ++i) forecast.learn(lower, upper, side, rho, curvature);
  forecast.apply(lower, upper, side);
  for (std::size_t k = 0; k < side.flat_size(); ++k) EXPECT_EQ(side[k], 0.0);
}

}  // namespace
}  // namespace panto
