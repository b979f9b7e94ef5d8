#include "panto/evaluation/base_following.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "panto/math/so3.hpp"

namespace panto {
namespace {

using Eigen::Vector3d;

constexpr double kRate = 50.0, kDegree = 3.14159265358979323846 / 180.0;

BaseFrame frame(int k, double robot, double person) {
  BaseFrame at;
  at.t = from_seconds(k / kRate);
  at.robot = Vector3d(robot, 0.0, 0.7);
  at.person = Vector3d(person, 0.0, 0.7);
  return at;
}

TEST(BaseFollowing, ABaseThatMovesAsThePersonDoesHasNoExcess) {
  BaseFollowing base;
  for (int k = 0; k < 100; ++k) base.add(frame(k, 0.1 * std::sin(0.1 * k), 0.1 * std::sin(0.1 * k)));
  const BaseFigures figures = base.report();
  EXPECT_NEAR(*figures.base_speed_excess_max_m_s, 0.0, 1e-12);
  EXPECT_NEAR(*figures.base_acceleration_excess_max_m_s2, 0.0, 1e-9);
  EXPECT_NEAR(*figures.base_tilt_max_deg, 0.0, 1e-9);
  // 0.1 m, (0.1 * 50 rad/s)^2: 2.5 m/s^2 at the turning points
  EXPECT_NEAR(*figures.base_acceleration_p99_m_s2, 2.5, 0.05);
}

TEST(BaseFollowing, AJumpIsFoundWithItsMomentAsSpeedAndAcceleration) {
  BaseFollowing base;
  // the person walks at 1 m/s; the robot too, but is 0.1 m ahead from frame 60 on: once 5 m/s faster
  for (int k = 0; k < 200; ++k) base.add(frame(k, k / kRate + (k >= 60 ? 0.1 : 0.0), k / kRate));
  const BaseFigures figures = base.report();
  EXPECT_NEAR(*figures.base_speed_excess_max_m_s, 5.0, 1e-9);
  EXPECT_NEAR(*figures.base_speed_excess_max_at_s, 60 / kRate, 1e-9);
  EXPECT_NEAR(*figures.base_speed_excess_p99_m_s, 0.0, 1e-9) << "1 of 199 differences: within 1 %";
  EXPECT_NEAR(*figures.base_acceleration_excess_max_m_s2, 5.0 * kRate, 1e-6);
  EXPECT_NEAR(*figures.base_acceleration_excess_max_at_s, 59 / kRate, 1e-9);
}

TEST(BaseFollowing, NoDifferenceCrossesACutOrAStampThatGoesBack) {
  BaseFollowing base;
  for (int k = 0; k < 20; ++k) base.add(frame(k, 0.0, 0.0));
  base.interrupt();
  for (int k = 20; k < 40; ++k) base.add(frame(k, 3.0, 0.0));
  for (int k = 0; k < 20; ++k) base.add(frame(k, 7.0, 0.0));
  EXPECT_NEAR(*base.report().base_speed_excess_max_m_s, 0.0, 1e-12);
}

TEST(BaseFollowing, AccelerationsNeedEqualIntervals) {
  BaseFollowing base;
  base.add(frame(0, 0.0, 0.0));
  base.add(frame(1, 0.1, 0.0));
  base.add(frame(3, 0.1, 0.0));
  EXPECT_FALSE(base.report().base_acceleration_p99_m_s2);
  EXPECT_TRUE(base.report().base_speed_excess_max_m_s);
}

TEST(BaseFollowing, TiltLeavesTheHeadingOut) {
  const Eigen::Matrix3d wanted = so3::exp(Vector3d(0.0, 0.3, 0.0));
  EXPECT_NEAR(tilt_between(so3::exp(Vector3d(0.0, 0.0, 2.0)) * wanted, wanted), 0.0, 1e-9);
  EXPECT_NEAR(tilt_between(so3::exp(Vector3d(0.0, 20.0 * kDegree, 0.0)) * wanted, wanted), 20.0, 1e-9);
  BaseFollowing base;
  for (int k = 0; k < 100; ++k) {
    BaseFrame at = frame(k, 0.0, 0.0);
    at.R_robot = so3::exp(Vector3d((k == 70 ? 40.0 : 5.0) * kDegree, 0.0, 0.0));
    base.add(at);
  }
  const BaseFigures figures = base.report();
  EXPECT_NEAR(*figures.base_tilt_median_deg, 5.0, 1e-9);
  EXPECT_NEAR(*figures.base_tilt_p95_deg, 5.0, 1e-9);
  EXPECT_NEAR(*figures.base_tilt_max_deg, 40.0, 1e-9);
  EXPECT_NEAR(*figures.base_tilt_max_at_s, 70 / kRate, 1e-9);
}

TEST(BaseFollowing, HeadingLeavesTheTiltOut) {
  const Eigen::Matrix3d wanted = so3::exp(Vector3d(0.4, 0.3, 1.0));
  for (const double turn : {-170.0, -73.0, 0.0, 10.0, 179.0})
    EXPECT_NEAR(heading_between(so3::exp(Vector3d(0.0, 0.0, turn * kDegree)) * wanted, wanted),
                std::abs(turn), 1e-9)
        << turn;
  EXPECT_NEAR(heading_between(so3::exp(Vector3d(0.5, -0.8, 0.0)) * wanted, wanted), 0.0, 1e-9);
  BaseFollowing base;
  for (int k = 0; k < 100; ++k) {
    BaseFrame at = frame(k, 0.0, 0.0);
    at.R_robot = so3::exp(Vector3d(0.0, 0.0, (k == 30 ? -90.0 : 73.0) * kDegree));
    base.add(at);
  }
  const BaseFigures figures = base.report();
  EXPECT_NEAR(*figures.base_heading_median_deg, 73.0, 1e-9);
  EXPECT_NEAR(*figures.base_heading_p95_deg, 73.0, 1e-9);
  EXPECT_NEAR(*figures.base_heading_max_deg, 90.0, 1e-9);
  EXPECT_NEAR(*figures.base_heading_max_at_s, 30 / kRate, 1e-9);
  EXPECT_NEAR(*figures.base_tilt_max_deg, 0.0, 1e-6);
}

TEST(BaseFollowing, NothingIsKnownWithoutFrames) {
  const BaseFigures figures = BaseFollowing().report();
  EXPECT_FALSE(figures.base_speed_excess_max_m_s || figures.base_tilt_median_deg);
}

}  // namespace
}  // namespace panto
