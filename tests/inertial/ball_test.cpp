#include "panto/inertial/ball.hpp"

#include <gtest/gtest.h>

#include <array>

#include "panto/math/euler.hpp"
#include "tests/support/random_model.hpp"
#include "tests/support/test_data.hpp"

namespace panto {
namespace {

using Coordinates = Eigen::Matrix<double, 9, 1>;  // q, q', q''
using Eigen::Matrix3d;
using Eigen::Vector3d;

Matrix3d turned(const Vector3d& q) { return euler::to_rotation(q, euler::XYZ); }

// the motion q + q' t + q'' t^2 / 2, counted from R_new, by fourth-order differences of its rotations in time
Coordinates counted_from(const Matrix3d& R_new, const Coordinates& x) {
  constexpr double step = 1e-3;
  std::array<Vector3d, 5> angles;
  for (int k = 0; k < 5; ++k) {
    const double t = (k - 2) * step;
    const Vector3d q = x.head<3>() + x.segment<3>(3) * t + x.tail<3>() * t * t / 2.0;
    angles[static_cast<std::size_t>(k)] = euler::from_rotation(R_new.transpose() * turned(q), euler::XYZ);
  }
  const auto& [a, b, c, d, e] = angles;
  Coordinates result;
  result << c, (a - 8.0 * b + 8.0 * d - e) / (12.0 * step),
      (-a + 16.0 * b - 30.0 * c + 16.0 * d - e) / (12.0 * step * step);
  return result;
}

Coordinates random_motion(test::Random& random) {
  Coordinates x;
  x << test::random_vector(random, 0.5), test::random_vector(random, 2.0), test::random_vector(random, 5.0);
  return x;
}

TEST(Ball, RatesAreTheDerivativeOfTheRotation) {
  test::Random random(1);
  for (int i = 0; i < 100; ++i) {
    const Vector3d q = test::random_vector(random, 3.0), u = test::random_vector(random, 1.0);
    constexpr double step = 1e-5;
    const Matrix3d R = turned(q), dR = (turned(q + step * u) - turned(q - step * u)) / (2.0 * step);
    EXPECT_LT((so3::vee_skew(R.transpose() * dR) - ball::rates(q) * u).norm(), 1e-9);
  }
}

TEST(Ball, CountedFromItsOwnRotationItIsTheSameMotion) {
  test::Random random(2);
  for (int i = 0; i < test::scaled(100); ++i) {
    const Coordinates x = random_motion(random);
    const ball::Rebased rebased = ball::rebase(x.head<3>(), x.segment<3>(3), x.tail<3>());
    const Coordinates theirs = counted_from(turned(x.head<3>()), x);
    EXPECT_LT(theirs.head<3>().norm(), 1e-15);
    EXPECT_LT((rebased.qdot - theirs.segment<3>(3)).norm(), 1e-8);
    EXPECT_LT((rebased.qddot - theirs.tail<3>()).norm(), 1e-6);  // 1e-16 of rounding over the step squared
  }
}

TEST(Ball, TheJacobianOfRebasingIsItsDerivative) {
  test::Random random(3);
  for (int i = 0; i < test::scaled(100); ++i) {
    const Coordinates x = random_motion(random);
    const Matrix3d R_new = turned(x.head<3>());
    const auto J = ball::rebase(x.head<3>(), x.segment<3>(3), x.tail<3>()).jacobian;
    for (int k = 0; k < 9; ++k) {
      constexpr double step = 1e-3;
      const Coordinates dx = step * Coordinates::Unit(k);
      const Coordinates column = (counted_from(R_new, x + dx) - counted_from(R_new, x - dx)) / (2.0 * step);
      // differences of second order: third derivatives of these coordinates stay below 100
      EXPECT_LT((J.col(k) - column).norm(), 1e-4) << "column " << k;
    }
  }
}

TEST(Ball, SlopesBehindAreThoseOfTurnVelocityAndAcceleration) {
  test::Random random(4);
  const auto behind = [](const Coordinates& x) {
    const Matrix3d E = ball::rates(x.head<3>());
    Coordinates y;  // the turn is left out
    y << Vector3d::Zero(), E * x.segment<3>(3),
        E * x.tail<3>() + ball::slopes(x.head<3>(), x.segment<3>(3)).M * x.segment<3>(3);
    return y;
  };
  for (int i = 0; i < test::scaled(30); ++i) {
    const Coordinates x = random_motion(random);
    const auto slopes = ball::slopes_behind(x.head<3>(), x.segment<3>(3), x.tail<3>());
    for (int k = 0; k < 9; ++k) {
      constexpr double step = 1e-6;
      const Coordinates more = x + step * Coordinates::Unit(k), less = x - step * Coordinates::Unit(k);
      Coordinates slope = (behind(more) - behind(less)) / (2.0 * step);
      const Matrix3d turn = turned(less.head<3>()).transpose() * turned(more.head<3>());
      slope.head<3>() = so3::vee_skew(turn) / (2.0 * step);
      EXPECT_LT((slope - slopes.col(k)).norm(), 1e-7 * std::max(1.0, slope.norm())) << k;
    }
  }
}

}  // namespace
}  // namespace panto
