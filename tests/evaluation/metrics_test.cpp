#include "panto/evaluation/metrics.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "panto/math/so3.hpp"

namespace panto {
namespace {

constexpr double kDegree = std::numbers::pi / 180.0;

Model slider_and_hinge() {
  ModelSpec spec;
  spec.name = "pair";
  spec.links.resize(3);
  spec.links[0].name = "base";
  spec.links[1].name = "arm";
  spec.links[2].name = "hand";
  spec.joints.resize(2);
  spec.joints[0] = {.name = "hinge", .type = JointType::Revolute, .parent = "base", .child = "arm"};
  spec.joints[0].lower = -1.0;
  spec.joints[0].upper = 1.0;
  spec.joints[1] = {.name = "slider", .type = JointType::Prismatic, .parent = "arm", .child = "hand"};
  spec.joints[1].upper = 0.5;
  return Model(std::move(spec));
}

State state_of(const Model& model, Time t, double hinge, double slider = 0.0) {
  State state = rest_state(model);
  state.t = t;
  state.s << hinge, slider;
  return state;
}

TEST(SampleStatistics, PercentilesAreExactByNearestRank) {
  SampleStatistics statistics(100);
  for (int i = 100; i >= 1; --i) statistics.add(i);
  EXPECT_EQ(statistics.mean(), 50.5);
  EXPECT_EQ(statistics.max(), 100.0);
  EXPECT_EQ(statistics.percentile(0.50), 50.0);
  EXPECT_EQ(statistics.percentile(0.99), 99.0);
  EXPECT_EQ(statistics.percentile(0.0), 1.0);
  EXPECT_EQ(statistics.percentile(1.0), 100.0);
}

TEST(SampleStatistics, IsUnknownWithoutValuesAndLeavesOutWhatIsNotFinite) {
  SampleStatistics statistics;
  EXPECT_FALSE(statistics.mean() || statistics.max() || statistics.percentile(0.5));
  statistics.add(std::nan(""));
  EXPECT_FALSE(statistics.max().has_value());
  statistics.add(-2.0);
  EXPECT_EQ(statistics.max(), -2.0) << "the largest of negative values is not zero";
  EXPECT_EQ(statistics.count(), 1U);
}

TEST(OrientationError, MnteOfRightAndStraightAnglesIsOneAndTwo) {
  const Eigen::Matrix3d I = Eigen::Matrix3d::Identity();
  OrientationError right, straight, both;
  right.add(I, so3::about_axis(1, 90.0 * kDegree));
  EXPECT_NEAR(*right.mnte(), 1.0, 1e-15);
  straight.add(I, so3::about_axis(2, 180.0 * kDegree));
  EXPECT_NEAR(*straight.mnte(), 2.0, 1e-15) << "the range is 0 .. 2, not 0 .. 1";
  both.add(I, so3::about_axis(1, 90.0 * kDegree));
  both.add(I, I);
  EXPECT_NEAR(*both.mnte(), 0.5, 1e-15);
  EXPECT_NEAR(*both.angle().max() / kDegree, 90.0, 1e-12);
  EXPECT_NEAR(*both.angle().mean() / kDegree, 45.0, 1e-12);
}

TEST(OrientationError, MnteAndDegreesAgreeWithTheTableOfTheTheory) {
  // theory 1.1, Eq. (14): each rounded to the digits printed there
  const struct {
    double degrees, mnte, tolerance;
  } table[] = {
      {0.81, 1e-4, 2e-6}, {2.56, 1e-3, 3e-6}, {5.0, 3.8e-3, 1e-5}, {10.0, 1.5e-2, 2e-4}, {30.0, 0.134, 1e-4}};
  const Eigen::Matrix3d R_target = so3::exp({0.3, -2.0, 1.0});
  for (const auto& entry : table) {
    OrientationError error;
    const Eigen::Vector3d turn = Eigen::Vector3d(1.0, 2.0, -2.0) / 3.0 * entry.degrees * kDegree;
    error.add(R_target, so3::exp(turn) * R_target);
    EXPECT_NEAR(*error.mnte(), entry.mnte, entry.tolerance);
    EXPECT_NEAR(*error.angle().mean() / kDegree, entry.degrees, 1e-9);
  }
}

TEST(OrientationError, SmallAnglesAreNotLostInRounding) {
  OrientationError error;
  error.add(Eigen::Matrix3d::Identity(), so3::about_axis(0, 1e-9));
  EXPECT_NEAR(*error.mnte() / 0.5e-18, 1.0, 1e-6) << "1 - cos(1e-9) computed as written is 0";
}

TEST(RootMeanSquare, DividesByCountAndDimension) {
  RootMeanSquare error;
  EXPECT_FALSE(error.value().has_value());
  error.add(3.0);
  error.add(9.0);
  error.add(std::nan(""));
  EXPECT_DOUBLE_EQ(*error.value(3.0), std::sqrt(2.0));
  EXPECT_DOUBLE_EQ(*error.value(), std::sqrt(6.0));
}

TEST(LimitViolations, CountsJointsOutsideByMoreThanRounding) {
  const Model model = slider_and_hinge();
  LimitViolations limits(model);
  limits.add(state_of(model, 0, 1.0 + 1e-12, 0.5));
  EXPECT_EQ(limits.count(), 0);
  EXPECT_EQ(limits.max_angle(), 0.0);
  limits.add(state_of(model, 1, -1.25, 0.75));
  limits.add(state_of(model, 2, 1.125, -100.0));
  EXPECT_EQ(limits.count(), 3) << "the slider has no lower limit";
  EXPECT_DOUBLE_EQ(limits.max_angle(), 0.25) << "the slider's length is no angle";
}

TEST(JointJerk, OfACubicIsItsThirdDerivative) {
  const Model model = slider_and_hinge();
  JointJerk jerk(model);
  for (int i = 0; i < 100; ++i) {
    const Time t = frame_time(i, 240.0);  // not a whole number of nanoseconds
    const double x = to_seconds(t);
    jerk.add(state_of(model, t, 2.0 * x * x * x - x, 1e6 * x * x * x));
  }
  // 12 rad/s^3; rounding of s (1e-16) grows by 240^3 = 1.4e7, that of the stamps by 1e-9 * 240 * 3
  EXPECT_NEAR(*jerk.rms(), 12.0, 1e-3) << "the slider does not count";
}

TEST(JointJerk, IsOnlyTakenAcrossEqualIntervals) {
  const Model model = slider_and_hinge();
  JointJerk jerk(model);
  const double seconds[] = {0.0, 0.01, 0.02, 0.04, 0.05, 0.06};
  for (const double t : seconds) jerk.add(state_of(model, from_seconds(t), 0.1 * t));
  EXPECT_FALSE(jerk.rms().has_value()) << "no four frames in a row are evenly spaced";
  jerk.interrupt();
  for (const double t : {0.07, 0.08, 0.09}) jerk.add(state_of(model, from_seconds(t), 0.0));
  EXPECT_FALSE(jerk.rms().has_value()) << "nothing is differenced across an interruption";
  jerk.add(state_of(model, from_seconds(0.10), 1e-6));
  EXPECT_NEAR(*jerk.rms(), 1.0, 1e-6);
}

}  // namespace
}  // namespace panto
