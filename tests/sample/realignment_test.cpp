#include "panto/sample/realignment.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "panto/math/so3.hpp"
#include "tests/support/link_model.hpp"

namespace panto {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

constexpr double kQuarter = std::numbers::pi / 2.0;

// a pelvis that looks along y, leaning ahead by 0.2 rad, and a head above and ahead of it
SegmentSample person() {
  SegmentSample sample;
  sample.segments.resize(2);
  for (SegmentMotion& segment : sample.segments) {
    segment.R_WS = so3::about_axis(2, kQuarter) * so3::about_axis(1, 0.2);
    segment.p_WS = {3.0, -2.0, 0.9};
    segment.v_WS = {0.0, 1.2, 0.1};
    segment.w_WS = {0.3, 0.0, 0.5};
    segment.has_orientation = segment.has_position = true;
  }
  sample.segments[1].p_WS += Vector3d(0.0, 0.1, 0.6);
  return sample;
}

TEST(Realignment, PassesEverythingUnchangedUntilItIsAsked) {
  Realignment realignment({"Pelvis", "Head"});
  const SegmentSample sample = person();
  EXPECT_TRUE(realignment.able());
  EXPECT_EQ(&realignment.apply(sample), &sample);
}

TEST(Realignment, PutsThePelvisAboveTheOriginLookingAlongXAndKeepsTheBody) {
  Realignment realignment({"Pelvis", "Head"});
  const SegmentSample sample = person();
  realignment.ask();
  const SegmentSample moved = realignment.apply(sample);
  EXPECT_TRUE(moved.cut) << "it does not continue the sample before";
  EXPECT_LT((moved.segments[0].p_WS - Vector3d(0.0, 0.0, 0.9)).norm(), 1e-12) << "height stays";
  EXPECT_LT(so3::distance(moved.segments[0].R_WS, so3::about_axis(1, 0.2)), 1e-12) << "the lean stays";
  EXPECT_LT((moved.segments[1].p_WS - Vector3d(0.1, 0.0, 1.5)).norm(), 1e-12) << "the head is ahead";
  EXPECT_LT((moved.segments[0].v_WS - Vector3d(1.2, 0.0, 0.1)).norm(), 1e-12) << "it walks ahead";
  EXPECT_LT((moved.segments[0].w_WS - Vector3d(0.0, -0.3, 0.5)).norm(), 1e-12);
  SegmentSample later = person();
  later.segments[0].p_WS.y() += 1.0;
  later.segments[0].R_WS = so3::about_axis(2, 0.4) * later.segments[0].R_WS;
  const SegmentSample& next = realignment.apply(later);
  EXPECT_FALSE(next.cut);
  EXPECT_LT((next.segments[0].p_WS - Vector3d(1.0, 0.0, 0.9)).norm(), 1e-12) << "a metre on is a metre ahead";
  EXPECT_LT(so3::distance(next.segments[0].R_WS, so3::about_axis(2, 0.4) * so3::about_axis(1, 0.2)), 1e-12)
      << "a later turn stays a turn";
}

TEST(Realignment, WaitsForAPelvisThatTellsItsHeading) {
  Realignment realignment({"Pelvis", "Head"});
  realignment.ask();
  SegmentSample silent = person(), broken = person();
  silent.segments[0].has_orientation = false;
  broken.segments[0].R_WS(1, 1) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(&realignment.apply(silent), &silent);
  EXPECT_EQ(&realignment.apply(broken), &broken);
  EXPECT_NEAR(realignment.apply(person()).segments[0].p_WS.x(), 0.0, 1e-12);
  EXPECT_FALSE(Realignment({"Head", "LeftHand"}).able()) << "nobody knows where a head's pelvis looks";
}

TEST(Realignment, TurnsAPersonWhoLiesByTheHead) {
  Realignment realignment({"Pelvis"});
  SegmentSample sample;
  sample.segments.resize(1);
  // on the back, the head towards y: the pelvis' x points up, its z along y
  sample.segments[0].R_WS = so3::about_axis(2, kQuarter) * so3::about_axis(1, -kQuarter);
  sample.segments[0].has_orientation = true;
  realignment.ask();
  const Matrix3d R = realignment.apply(sample).segments[0].R_WS;
  EXPECT_LT((R.col(0) - Vector3d::UnitZ()).norm(), 1e-12);
  EXPECT_NEAR(std::abs(R(0, 2)), 1.0, 1e-12) << "head and feet lie along x";
}

TEST(Realignment, TurnsABase) {
  State state = rest_state(test::chain_model(2));
  state.R_WB = so3::about_axis(2, kQuarter);
  state.p_WB = {1.0, 2.0, 0.5};
  state.v_WB = {0.0, 1.0, 0.0};
  const State before = state;
  Realignment realignment;
  EXPECT_FALSE(realignment.apply(state));
  EXPECT_EQ(state_hash(state), state_hash(before));
  realignment.ask();
  EXPECT_TRUE(realignment.apply(state));
  EXPECT_LT((state.p_WB - Vector3d(0.0, 0.0, 0.5)).norm(), 1e-12);
  EXPECT_LT(so3::angle(state.R_WB), 1e-12);
  EXPECT_LT((state.v_WB - Vector3d::UnitX()).norm(), 1e-12);
  State later = before;
  later.p_WB.y() += 1.0;
  EXPECT_FALSE(realignment.apply(later)) << "the choice is made once";
  EXPECT_LT((later.p_WB - Vector3d(1.0, 0.0, 0.5)).norm(), 1e-12);
}

}  // namespace
}  // namespace panto
