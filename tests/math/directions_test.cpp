#include "panto/math/directions.hpp"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <numbers>

#include "panto/math/so3.hpp"
#include "tests/support/random_model.hpp"

namespace panto {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

TEST(Directions, AnglesAreAccurateAtBothEnds) {
  const Vector3d x = Vector3d::UnitX();
  for (const double angle : {0.0, 1e-9, 0.5, 3.0, std::numbers::pi - 1e-9, std::numbers::pi}) {
    const Vector3d there = 7.0 * Vector3d(std::cos(angle), std::sin(angle), 0.0);
    // a few units in the last place of pi
    EXPECT_NEAR(angle_between(3.0 * x, there), angle, 2e-15);
  }
  EXPECT_EQ(angle_between(x, Vector3d::Zero()), 0.0);
}

TEST(Directions, TheLeastTurnTakesOneToTheOtherByTheAngleBetweenThem) {
  test::Random random(11);
  for (int i = 0; i < 1000; ++i) {
    const Vector3d a = test::random_vector(random, 1.0).normalized();
    Vector3d b = test::random_vector(random, 1.0).normalized();
    if (i % 10 == 0) b = -a;
    if (i % 10 == 1) b = (-a + 1e-7 * across(a)).normalized();
    if (i % 10 == 2) b = a;
    const Matrix3d R = least_turn(a, b);
    EXPECT_TRUE(so3::is_rotation(R, 1e-12));
    // opposite within 1e-7: the axis is known to 1e-16 / 1e-7
    EXPECT_LT((R * a - b).norm(), 1e-8) << i;
    EXPECT_NEAR(so3::angle(R), angle_between(a, b), 1e-9) << i;
    EXPECT_NEAR(across(a).dot(a), 0.0, 1e-15);
    EXPECT_NEAR(across(a).norm(), 1.0, 1e-15);
  }
}

TEST(Directions, TheNearestRotationIsTheMeanAndFitsPoints) {
  test::Random random(12);
  for (int i = 0; i < 200; ++i) {
    const Matrix3d R = test::random_rotation(random);
    const Vector3d axis = test::random_vector(random, 1.0).normalized();
    Matrix3d sum = Matrix3d::Zero(), H = Matrix3d::Zero();
    for (const double angle : {-0.4, 0.1, 0.3}) sum += R * so3::exp(angle * axis);
    EXPECT_LT(so3::distance(nearest_rotation(sum), R), 0.01) << "the three angles sum to zero";
    for (int k = 0; k < 4; ++k) {
      const Vector3d q = test::random_vector(random, 1.0);
      H += (R * q) * q.transpose();
    }
    EXPECT_LT(so3::distance(nearest_rotation(H), R), 1e-9);
  }
}

TEST(Directions, PartOfATurnBeginsAtOneAndEndsAtTheOther) {
  test::Random random(13);
  for (int i = 0; i < 200; ++i) {
    const Matrix3d A = test::random_rotation(random), B = test::random_rotation(random);
    EXPECT_LT(so3::distance(part_of_turn(A, B, 0.0), A), 1e-12);
    EXPECT_LT(so3::distance(part_of_turn(A, B, 1.0), B), 1e-9);
    const Matrix3d quarter = part_of_turn(A, B, 0.25);
    EXPECT_NEAR(so3::distance(A, quarter), 0.25 * so3::distance(A, B), 1e-9);
  }
}

}  // namespace
}  // namespace panto
