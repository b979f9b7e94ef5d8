#include "panto/robot/forearm_twist.hpp"

#include <gtest/gtest.h>

#include "panto/math/so3.hpp"
#include "tests/support/random_model.hpp"

namespace panto::robot {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

SegmentMotion turned(const Matrix3d& R_WS, const Vector3d& w_WS) {
  SegmentMotion motion;
  motion.R_WS = R_WS;
  motion.w_WS = w_WS;
  motion.has_orientation = motion.has_angular_velocity = true;
  return motion;
}

TEST(ForearmTwist, IsThatOfTheHandWhileTheBoneStays) {
  test::Random random(1);
  for (int i = 0; i < 100; ++i) {
    const Matrix3d R_WF = test::random_rotation(random);
    // a wrist bends by less than 90 degrees and, in many skeletons, twists by any angle
    const Vector3d bend(test::uniform(random, -1.0, 1.0), 0.0, test::uniform(random, -1.0, 1.0));
    const Matrix3d twist = so3::about_axis(1, test::uniform(random, -3.0, 3.0));
    const SegmentMotion hand = turned(R_WF * twist * so3::exp(bend), Vector3d::Zero());
    SegmentMotion forearm = turned(R_WF, Vector3d::Zero());
    turn_with_hand(hand, forearm);
    EXPECT_LT((forearm.R_WS.col(1) - R_WF.col(1)).norm(), 1e-12);
    EXPECT_LT(so3::distance(forearm.R_WS, R_WF * twist), 1e-9);
  }
}

TEST(ForearmTwist, HasTheRateOfItsTurn) {
  test::Random random(2);
  constexpr double kStep = 1e-6;
  for (int i = 0; i < 20; ++i) {
    const auto vector = [&] {
      return Vector3d(test::uniform(random, -1.0, 1.0), test::uniform(random, -1.0, 1.0),
                      test::uniform(random, -1.0, 1.0));
    };
    const Matrix3d R_WF = test::random_rotation(random), R_WH = R_WF * so3::exp(vector());
    const Vector3d w_F = vector(), w_H = vector();
    SegmentMotion now = turned(R_WF, w_F), next = turned(so3::exp(kStep * w_F) * R_WF, w_F);
    turn_with_hand(turned(R_WH, w_H), now);
    turn_with_hand(turned(so3::exp(kStep * w_H) * R_WH, w_H), next);
    const Vector3d rate = so3::log(next.R_WS * now.R_WS.transpose()) / kStep;
    EXPECT_LT((now.w_WS - rate).norm(), 1e-4);
  }
}

TEST(ForearmTwist, IsLeftAloneWithoutTwistOrWithoutAHand) {
  test::Random random(3);
  const Matrix3d R_WF = test::random_rotation(random);
  SegmentMotion forearm = turned(R_WF, Vector3d::UnitX()), hand = forearm;
  turn_with_hand(hand, forearm);
  EXPECT_EQ(forearm.R_WS, R_WF) << "to the last bit";
  hand.R_WS = test::random_rotation(random);
  hand.has_orientation = false;
  turn_with_hand(hand, forearm);
  EXPECT_EQ(forearm.R_WS, R_WF);
  EXPECT_EQ(forearm.w_WS, Vector3d::UnitX());
}

}  // namespace
}  // namespace panto::robot
