#include "panto/retarget/feet_apart.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "panto/base/index.hpp"

namespace panto {
namespace {

using Eigen::Vector2d;
using Eigen::Vector3d;

// A sole of 0.2 m by 0.1 m; `place` is its middle.
FootMotion foot(int frames, const Vector3d& place, const std::vector<PlantedInterval>& stances) {
  FootMotion motion;
  motion.sole.heel = {-0.1, 0.0, 0.0};
  motion.sole.ball = {0.1, 0.0, 0.0};
  for (const double x : {-0.1, 0.1})
    for (const double y : {-0.05, 0.05}) motion.corners.emplace_back(x, y, 0.0);
  motion.p_WF.assign(at(frames), place);
  motion.R_WF.assign(at(frames), Eigen::Matrix3d::Identity());
  motion.contacts.heel.assign(at(frames), 0);
  motion.contacts.ball.assign(at(frames), 0);
  motion.contacts.planted = stances;
  for (const PlantedInterval& stance : stances)
    for (int k = stance.first; k <= stance.last; ++k)
      motion.contacts.heel[at(k)] = motion.contacts.ball[at(k)] = 1;
  return motion;
}

FootTargets as_it_is(const FootMotion& foot) { return {foot.p_WF, foot.R_WF, {}, {}}; }

// What a left sole at `place` needs beside a right one in the origin that is turned by `yaw`.
Vector2d needed(const Vector3d& place, double yaw = 0.0) {
  const FootMotion sole = foot(1, Vector3d::Zero(), {});
  const Vector3d ahead = sole.sole.ball - sole.sole.heel;
  const Eigen::Matrix3d turned = Eigen::AngleAxisd(yaw, Vector3d::UnitZ()).toRotationMatrix();
  return way_apart({sole.corners, ahead, Vector3d::Zero(), turned}, {sole.corners, ahead, place, turned});
}

TEST(FeetApart, SolesInEachOtherPartTheShortWay) {
  EXPECT_TRUE(needed({0.05, 0.06, 0.0}).isApprox(Vector2d(0.0, 0.045))) << "sideways, 5 mm beside it";
  EXPECT_TRUE(needed({0.18, 0.02, 0.0}).isApprox(Vector2d(0.025, 0.0))) << "one foot in front of the other";
  EXPECT_TRUE(needed({-0.18, 0.02, 0.0}).isApprox(Vector2d(-0.025, 0.0)));
  const Eigen::Rotation2Dd turn(0.7);
  const Vector2d place = turn * Vector2d(0.05, 0.06);
  EXPECT_TRUE(needed({place.x(), place.y(), 0.0}, 0.7).isApprox(turn * Vector2d(0.0, 0.045)));
}

TEST(FeetApart, FeetThatAreCrossedStayCrossedAndOthersGoToTheirOwnSide) {
  EXPECT_TRUE(needed({0.0, -0.08, 0.0}).isApprox(Vector2d(0.0, -0.025)));
  EXPECT_TRUE(needed({0.0, 0.0, 0.0}).isApprox(Vector2d(0.0, 0.105))) << "on the same place";
  EXPECT_TRUE(needed({0.0, -0.01, 0.0}).isApprox(Vector2d(0.0, 0.115)))
      << "hardly crossed: 2 cm more is no crossing";
}

TEST(FeetApart, SolesAboveOrBesideEachOtherNeedNothing) {
  EXPECT_TRUE(needed({0.0, 0.04, 0.2}).isZero(0.0));
  EXPECT_TRUE(needed({0.0, 0.106, 0.0}).isZero(0.0));
  EXPECT_TRUE(needed({0.206, 0.02, 0.0}).isZero(0.0));
  EXPECT_TRUE(needed({std::numeric_limits<double>::quiet_NaN(), 0.0, 0.0}).isZero(0.0));
}

TEST(FeetApart, WholeStancesMoveTheShorterOneMore) {
  FootMotion right = foot(100, {0.0, -0.03, 0.0}, {{0, 59}}), left = foot(100, {0.05, 0.03, 0.0}, {{50, 79}});
  StanceShifts shifts;
  part_stances(right, left, as_it_is(right), as_it_is(left), shifts);
  move_stances(shifts[0], right);
  move_stances(shifts[1], left);
  for (const int k : {0, 59})
    EXPECT_NEAR(right.p_WF[at(k)].y(), -0.045, 1e-12) << "all of the stance, a third";
  for (const int k : {50, 79}) EXPECT_NEAR(left.p_WF[at(k)].y(), 0.06, 1e-12) << "half as long: two thirds";
  EXPECT_EQ(right.p_WF[60].y(), -0.03) << "a swinging foot keeps its way";
  EXPECT_EQ(left.p_WF[49].y(), 0.03);
  EXPECT_EQ(left.p_WF[70].x(), 0.05);
  StanceShifts again = shifts;
  part_stances(right, left, as_it_is(right), as_it_is(left), again);
  EXPECT_NEAR((again[1][0] - shifts[1][0]).norm(), 0.0, 1e-12) << "nothing is left to do";
}

TEST(FeetApart, StancesWithSeveralNeighboursMeetAllOfThem) {
  // the right foot stands while the left one steps from behind it to before it
  FootMotion right = foot(100, {0.0, -0.03, 0.0}, {{0, 99}}),
             left = foot(100, {-0.05, 0.03, 0.0}, {{0, 29}, {60, 99}});
  for (std::size_t k = 60; k < 100; ++k) left.p_WF[k] = {0.05, 0.05, 0.0};
  StanceShifts shifts;
  part_stances(right, left, as_it_is(right), as_it_is(left), shifts);
  move_stances(shifts[0], right);
  move_stances(shifts[1], left);
  EXPECT_GT(left.p_WF[0].y() - right.p_WF[0].y(), 0.105 - 1e-9);
  EXPECT_GT(left.p_WF[99].y() - right.p_WF[99].y(), 0.105 - 1e-9);
}

TEST(FeetApart, SwingingFeetAreLeftToTheClearingOfLimbsAndShiftsAreBounded) {
  FootMotion right = foot(50, {0.0, -0.03, 0.0}, {{0, 49}}), left = foot(50, {0.0, 0.03, 0.0}, {});
  StanceShifts shifts;
  part_stances(right, left, as_it_is(right), as_it_is(left), shifts);
  EXPECT_TRUE(shifts[0].front().isZero(0.0));
  const FootMotion standing = foot(50, {0.0, 0.03, 0.0}, {{0, 49}});
  for (int round = 0; round < 20; ++round)  // as if nothing helped
    part_stances(right, standing, as_it_is(right), as_it_is(standing), shifts);
  EXPECT_NEAR(shifts[0].front().norm(), 0.12, 1e-9) << "[m]";
}

}  // namespace
}  // namespace panto
