// The recorded oracle of these angles is in tests/io/mvnx_test.cpp.
#include "panto/model/isb_angles.hpp"

#include <gtest/gtest.h>

#include <numbers>
#include <random>

#include "panto/math/so3.hpp"
#include "tests/support/test_data.hpp"

namespace panto {
namespace {

using enum HumanSegment::Index;

using Eigen::Matrix3d;
using Eigen::Vector3d;
using Segments = std::array<Matrix3d, kHumanSegmentCount>;

Segments t_pose() {
  Segments R;
  R.fill(Matrix3d::Identity());
  return R;
}

// turns `segment` and all that hangs on it
Segments turned(int segment, const Matrix3d& turn) {
  Segments R = t_pose();
  std::array<bool, kHumanSegmentCount> moved{};
  for (int i = 0; i < kHumanSegmentCount; ++i) {
    const int parent = kHumanSegmentParent[static_cast<std::size_t>(i)];
    const auto at = static_cast<std::size_t>(i);
    moved[at] = i == segment || (parent >= 0 && moved[static_cast<std::size_t>(parent)]);
    if (moved[at]) R[at] = turn;
  }
  return R;
}

Vector3d angle_of(int segment, const Segments& R) {
  return isb_angles(R)[static_cast<std::size_t>(segment - 1)];
}

TEST(IsbAngles, AreZeroInTheTPoseExceptWhereTheArmsAreRaisedAndPronated) {
  const auto angles = isb_angles(t_pose());
  constexpr double quarter = 0.5 * std::numbers::pi;
  for (int i = 1; i < kHumanSegmentCount; ++i) {
    Vector3d expected = Vector3d::Zero();
    // arms level: 90 deg of abduction; palms down: 90 deg of pronation
    if (i == RightUpperArm || i == LeftUpperArm) expected.x() = quarter;
    if (i == RightForeArm || i == LeftForeArm) expected.y() = quarter;
    EXPECT_LT((angles[static_cast<std::size_t>(i - 1)] - expected).norm(), 1e-12)
        << kHumanSegmentNames[static_cast<std::size_t>(i)];
  }
}

TEST(IsbAngles, CallFlexionPositiveOnBothSides) {
  // hip flexion lifts the leg (-y), knee flexion bends it back (+y), trunk flexion leans forward (+y)
  for (const int hip : {RightUpperLeg, LeftUpperLeg})
    EXPECT_NEAR(angle_of(hip, turned(hip, so3::about_axis(1, -0.4))).z(), 0.4, 1e-12);
  for (const int knee : {RightLowerLeg, LeftLowerLeg})
    EXPECT_NEAR(angle_of(knee, turned(knee, so3::about_axis(1, 0.4))).z(), 0.4, 1e-12);
  EXPECT_NEAR(angle_of(L5, turned(L5, so3::about_axis(1, 0.4))).z(), 0.4, 1e-12);
  // elbows: the forearm comes forward about z, right +, left -
  EXPECT_NEAR(angle_of(RightForeArm, turned(RightForeArm, so3::about_axis(2, 0.4))).z(), 0.4, 1e-12);
  EXPECT_NEAR(angle_of(LeftForeArm, turned(LeftForeArm, so3::about_axis(2, -0.4))).z(), 0.4, 1e-12);
}

TEST(IsbAngles, CallAbductionPositiveOnBothSides) {
  EXPECT_NEAR(angle_of(RightUpperLeg, turned(RightUpperLeg, so3::about_axis(0, -0.3))).x(), 0.3, 1e-12);
  EXPECT_NEAR(angle_of(LeftUpperLeg, turned(LeftUpperLeg, so3::about_axis(0, 0.3))).x(), 0.3, 1e-12);
  // an arm that comes down by 0.5 rad abducts that much less than 90 degrees
  const double abducted = 0.5 * std::numbers::pi - 0.5;
  EXPECT_NEAR(angle_of(RightUpperArm, turned(RightUpperArm, so3::about_axis(0, 0.5))).x(), abducted, 1e-12);
  EXPECT_NEAR(angle_of(LeftUpperArm, turned(LeftUpperArm, so3::about_axis(0, -0.5))).x(), abducted, 1e-12);
}

TEST(IsbAngles, DoNotDependOnWhereThePersonFaces) {
  std::mt19937_64 random(7);
  std::normal_distribution<double> normal;
  const auto any = [&] { return so3::exp(Vector3d(normal(random), normal(random), normal(random))); };
  for (int trial = 0; trial < test::scaled(100); ++trial) {
    Segments R, turned_R;
    const Matrix3d turn = any();
    for (std::size_t i = 0; i < R.size(); ++i) {
      R[i] = any();
      turned_R[i] = turn * R[i];
    }
    const auto a = isb_angles(R), b = isb_angles(turned_R);
    for (std::size_t j = 0; j < a.size(); ++j) {
      const Vector3d difference = a[j] - b[j];
      for (int k = 0; k < 3; ++k)  // +-180 degrees are the same
        EXPECT_LT(std::abs(std::remainder(difference[k], 2.0 * std::numbers::pi)), 1e-9);
    }
  }
}

TEST(IsbAngles, UseTheStandardFramesWhenNoneAreGiven) {
  const Segments R = turned(RightUpperArm, so3::exp(Vector3d(0.3, -0.2, 0.5)));
  const auto a = isb_angles(R), b = isb_angles(R, standard_isb_frames());
  for (std::size_t j = 0; j < a.size(); ++j) EXPECT_EQ(a[j], b[j]);
  for (const Matrix3d& frame : standard_isb_frames()) EXPECT_TRUE(so3::is_rotation(frame, 1e-15));
}

}  // namespace
}  // namespace panto
