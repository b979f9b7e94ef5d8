#include "panto/sample/interpolation.hpp"

#include <gtest/gtest.h>

#include "panto/math/so3.hpp"

namespace panto {
namespace {

TEST(SegmentInterpolation, GoesStraightAndByTheShortestTurn) {
  SegmentMotion a, b;
  a.has_orientation = a.has_position = a.has_angular_velocity = a.has_linear_velocity = true;
  b = a;
  const Eigen::Vector3d turn(0.3, -0.2, 0.9);
  b.R_WS = so3::exp(turn) * a.R_WS;
  b.p_WS = Eigen::Vector3d(4.0, 0.0, -2.0);
  b.w_WS = Eigen::Vector3d(0.0, 8.0, 0.0);
  b.touch = 1.0;
  const SegmentMotion m = between(a, b, 0.25);
  EXPECT_LT(so3::distance(m.R_WS, so3::exp(0.25 * turn)), 1e-12);
  EXPECT_EQ(m.p_WS, Eigen::Vector3d(1.0, 0.0, -0.5));
  EXPECT_EQ(m.w_WS, Eigen::Vector3d(0.0, 2.0, 0.0));
  EXPECT_EQ(m.touch, 0.25) << "hands that touch do so between frames too";
  EXPECT_LT(so3::distance(between(a, b, 1.0).R_WS, b.R_WS), 1e-12);
}

TEST(SegmentInterpolation, KnowsWhatBothKnow) {
  SegmentMotion a, b;
  a.has_orientation = a.has_position = b.has_position = b.has_linear_velocity = true;
  const SegmentMotion m = between(a, b, 0.5);
  EXPECT_TRUE(m.has_position);
  EXPECT_FALSE(m.has_orientation || m.has_linear_velocity || m.has_angular_velocity);
}

}  // namespace
}  // namespace panto
