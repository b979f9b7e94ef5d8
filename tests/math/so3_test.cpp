#include "panto/math/so3.hpp"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <Eigen/LU>
#include <cmath>
#include <limits>
#include <numbers>

#include "tests/support/random_model.hpp"
#include "tests/support/test_data.hpp"

namespace panto::so3 {
namespace {

constexpr double kPi = std::numbers::pi;
constexpr double kIdentity = 1e-12;  // theory, section 5: identities of the group hold to this

double largest(const Matrix3d& M) { return M.cwiseAbs().maxCoeff(); }

TEST(So3, VeeIsTheInverseOfHatOnEveryAxis) {
  // a slip of sign here makes every loop unstable (theory, N2)
  for (int k = 0; k < 3; ++k) EXPECT_EQ(vee(hat(Vector3d::Unit(k))), Vector3d(Vector3d::Unit(k)));
  EXPECT_EQ(hat(Vector3d::UnitX()) * Vector3d::UnitY(), Vector3d(Vector3d::UnitZ()));
}

TEST(So3, HatIsTheCrossProductAndTurnsWithItsVector) {
  test::Random random(1);
  double worst = 0.0;
  for (int i = 0; i < test::scaled(100000); ++i) {
    const Vector3d u = test::random_vector(random, 3.0), v = test::random_vector(random, 3.0);
    const Matrix3d R = test::random_rotation(random);
    worst = std::max(worst, (hat(u) * v - u.cross(v)).cwiseAbs().maxCoeff());
    worst = std::max(worst, largest(R * hat(u) * R.transpose() - hat(R * u)));
    worst = std::max(worst, (vee_skew(hat(u)) - u).cwiseAbs().maxCoeff());
  }
  EXPECT_LT(worst, kIdentity);
}

TEST(So3, ExpIsARotationAboutItsVector) {
  test::Random random(2);
  double worst = 0.0;
  for (int i = 0; i < test::scaled(100000); ++i) {
    const Vector3d u = test::random_direction(random);
    const double angle = test::uniform(random, -20.0, 20.0);
    const Matrix3d R = exp(angle * u);
    worst = std::max(worst, largest(R.transpose() * R - Matrix3d::Identity()));
    worst = std::max(worst, std::abs(R.determinant() - 1.0));
    worst = std::max(worst, (R * u - u).cwiseAbs().maxCoeff());
    worst = std::max(worst, largest(R - Eigen::AngleAxisd(angle, u).toRotationMatrix()));
    worst = std::max(worst, largest(exp(-angle * u) - R.transpose()));
  }
  EXPECT_LT(worst, kIdentity);
}

TEST(So3, LogIsTheInverseOfExpOverTheWholeBall) {
  test::Random random(3);
  double worst = 0.0;
  for (int i = 0; i < test::scaled(100000); ++i) {
    // radii by class: anywhere, tiny, about the series' end at 1e-4, near pi
    double angle = 0.0;
    switch (i % 4) {
      case 0:
        angle = test::uniform(random, 0.0, kPi);
        break;
      case 1:
        angle = std::pow(10.0, test::uniform(random, -18.0, -3.0));
        break;
      case 2:
        angle = test::uniform(random, 0.9e-4, 1.1e-4);
        break;
      default:
        angle = kPi - std::pow(10.0, test::uniform(random, -9.0, -0.5));
    }
    const Vector3d v = angle * test::random_direction(random);
    worst = std::max(worst, (log(exp(v)) - v).cwiseAbs().maxCoeff());
  }
  EXPECT_LT(worst, kIdentity);
}

TEST(So3, LogKeepsRelativePrecisionForTinyRotations) {
  for (const double angle : {1e-3, 1e-5, 1e-8, 1e-12, 1e-300}) {
    const Vector3d v = angle * Vector3d(2.0, -1.0, 2.0) / 3.0;
    EXPECT_LT((log(exp(v)) - v).norm(), 1e-11 * angle) << angle;
  }
  EXPECT_EQ(log(Matrix3d::Identity()), Vector3d(Vector3d::Zero()));
}

TEST(So3, LogFindsTheAxisAtAndAroundAHalfTurn) {
  test::Random random(4);
  double worst_angle = 0.0, worst_rotation = 0.0;
  const auto check = [&](const Vector3d& u, double angle) {
    const Matrix3d R = exp(angle * u);
    const Vector3d v = log(R);
    worst_angle = std::max(worst_angle, std::abs(v.norm() - std::min(angle, 2.0 * kPi - angle)));
    worst_rotation = std::max(worst_rotation, largest(exp(v) - R));
  };
  for (int i = 0; i < test::scaled(20000); ++i) {
    // axes near a coordinate axis or plane too: there all but one element of the diagonal vanish
    Vector3d u = test::random_direction(random);
    if (i % 3 == 1) u = (Vector3d::Unit(i % 9 / 3) + 1e-9 * u).normalized();
    if (i % 3 == 2) u[i % 9 / 3] = 0.0;
    u.normalize();
    for (const double angle : {kPi, kPi - 1e-9, kPi + 1e-9, kPi - 1e-6, kPi - 1e-15}) check(u, angle);
  }
  // two attitudes a half turn apart, exactly: diagonal matrices
  for (int k = 0; k < 3; ++k) {
    Matrix3d R = -Matrix3d::Identity();
    R(k, k) = 1.0;
    const Vector3d v = log(R);
    EXPECT_NEAR(std::abs(v[k]), kPi, 1e-15);
    EXPECT_NEAR(v.norm(), kPi, 1e-15);
  }
  EXPECT_LT(worst_angle, kIdentity);
  EXPECT_LT(worst_rotation, kIdentity);
}

TEST(So3, AngleAndDistanceAreAccurateAtBothEnds) {
  for (const double angle : {0.0, 1e-12, 1e-8, 1e-3, 1.0, 3.0, kPi - 1e-8, kPi}) {
    const Matrix3d A = exp(Vector3d(0.3, -2.0, 0.9)), B = A * exp(angle * Vector3d(2.0, 3.0, 6.0) / 7.0);
    EXPECT_NEAR(distance(A, B), angle, 1e-15 + 1e-15 * 8.0) << angle;
    EXPECT_NEAR(distance(B, A), angle, 1e-15 + 1e-15 * 8.0) << angle;
  }
}

TEST(So3, TheAdjointOfARotationIsTheRotation) {
  // R exp(v) R^T = exp(R v), and the interval's angular velocity log(B A^T) turns with the world
  test::Random random(5);
  double worst = 0.0;
  for (int i = 0; i < test::scaled(50000); ++i) {
    const Matrix3d R = test::random_rotation(random);
    const Vector3d v = test::random_vector(random, 1.5);
    worst = std::max(worst, largest(R * exp(v) * R.transpose() - exp(R * v)));
    worst = std::max(worst, (log(R * exp(v) * R.transpose()) - R * v).cwiseAbs().maxCoeff());
  }
  EXPECT_LT(worst, kIdentity);
}

TEST(So3, ExpOfAProductIsThePowerOfExp) {
  test::Random random(6);
  double worst = 0.0;
  for (int i = 0; i < test::scaled(20000); ++i) {
    const Vector3d v = test::random_vector(random, 2.0);
    const Matrix3d half = exp(0.5 * v);
    worst = std::max(worst, largest(half * half - exp(v)));
  }
  EXPECT_LT(worst, kIdentity);
}

TEST(So3, OnePolarStepSquaresTheErrorOfOrthonormality) {
  test::Random random(7);
  for (int i = 0; i < 1000; ++i) {
    const Matrix3d R = test::random_rotation(random);
    const double size = std::pow(10.0, test::uniform(random, -8.0, -1.5));
    const Matrix3d M = R + size * hat(test::random_vector(random, 1.0)).cwiseAbs();
    const double before = (M.transpose() * M - Matrix3d::Identity()).norm();
    const Matrix3d step = polar_step(M);
    const double after = (step.transpose() * step - Matrix3d::Identity()).norm();
    // E+ = -(3 E^2 + E^3) / 4
    ASSERT_LT(after, 0.76 * before * before + 2e-15) << before;
  }
}

TEST(So3, ProjectGivesThePolarFactorOfEveryMatrixNearARotation) {
  test::Random random(8);
  double worst = 0.0;
  for (int i = 0; i < 2000; ++i) {
    const Matrix3d R = test::random_rotation(random);
    // M = R (I + symmetric): R is its polar factor
    const Matrix3d S = 0.1 * (hat(test::random_vector(random, 1.0)).cwiseAbs() +
                              Matrix3d(test::random_vector(random, 1.0).asDiagonal()));
    worst = std::max(worst, largest(project(R * (Matrix3d::Identity() + S)) - R));
  }
  EXPECT_LT(worst, kIdentity);
  EXPECT_LT(largest(project(1.02 * Matrix3d::Identity()) - Matrix3d::Identity()), 1e-15);
}

TEST(So3, BaumgarteWithEulerConvergesForRhoDtBelowTwoAndDivergesBeyond) {
  // x+ = x + (rho dt / 2) (1/x - x), theory section 1.7: rho dt = 1 is Newton's polar iteration
  const auto singular_value = [](double rho_dt, double x, int steps) {
    for (int i = 0; i < steps; ++i) x += 0.5 * rho_dt * (1.0 / x - x);
    return x;
  };
  EXPECT_NEAR(singular_value(1.0, 0.5, 5), 1.0, 1e-14);
  EXPECT_NEAR(singular_value(1.9, 1.1, 400), 1.0, 1e-12);
  EXPECT_GT(std::abs(singular_value(2.1, 1.1, 400) - 1.0), 0.01);
  Matrix3d R = 0.5 * exp(Vector3d(0.4, 1.0, -2.0));
  for (int i = 0; i < 6; ++i) R += R * (0.5 * ((R.transpose() * R).inverse() - Matrix3d::Identity()));
  EXPECT_LT(largest(R - exp(Vector3d(0.4, 1.0, -2.0))), 1e-14);
}

TEST(So3, RecognisesRotationsAndNothingElse) {
  EXPECT_TRUE(is_rotation(exp(Vector3d(0.4, 1.0, -2.0)), 1e-14));
  EXPECT_TRUE(is_rotation(1.0049 * Matrix3d::Identity())) << "off by 0.0098, up to 0.01 is allowed";
  EXPECT_FALSE(is_rotation(1.0051 * Matrix3d::Identity())) << "off by 0.0102";
  EXPECT_TRUE(is_rotation(Matrix3d::Identity(), 0.0));
  EXPECT_FALSE(is_rotation(-Matrix3d::Identity()));
  EXPECT_FALSE(is_rotation(Matrix3d::Zero()));
  for (const double bad : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(),
                           -std::numeric_limits<double>::infinity(), 1e308}) {
    for (int i = 0; i < 9; ++i) {
      Matrix3d R = Matrix3d::Identity();
      R(i / 3, i % 3) = bad;
      EXPECT_FALSE(is_rotation(R)) << i << " " << bad;
    }
  }
}

TEST(So3, TurnsAboutCoordinateAxesAsExpDoes) {
  test::Random random(9);
  for (int i = 0; i < 3000; ++i) {
    const double angle = test::uniform(random, -7.0, 7.0);
    ASSERT_LT(largest(about_axis(i % 3, angle) - exp(angle * Vector3d::Unit(i % 3))), 1e-15);
  }
  EXPECT_EQ(about_axis(1, 0.0), Matrix3d(Matrix3d::Identity()));
}

TEST(So3, QuaternionsGoThereAndBackWithEveryLeadingElement) {
  test::Random random(10);
  double worst = 0.0;
  for (int i = 0; i < test::scaled(50000); ++i) {
    // half turns about axes between the coordinate axes meet all four branches
    const double angle = i % 2 == 0 ? test::uniform(random, 0.0, kPi) : kPi - 1e-9 * i / 5e4;
    const Matrix3d R = exp(angle * test::random_direction(random));
    const Eigen::Vector4d q = to_quaternion_wxyz(R);
    ASSERT_GE(q[0], 0.0);
    worst = std::max(worst, std::abs(q.norm() - 1.0));
    worst = std::max(worst, largest(from_quaternion_wxyz(q) - R));
    worst = std::max(worst, largest(from_quaternion_wxyz(-3.0 * q) - R));  // q and -q, of any length
    const Eigen::Quaterniond oracle(R);
    worst = std::max(worst,
                     1.0 - std::abs(q.dot(Eigen::Vector4d(oracle.w(), oracle.x(), oracle.y(), oracle.z()))));
  }
  EXPECT_LT(worst, kIdentity);
  EXPECT_EQ(to_quaternion_wxyz(Matrix3d::Identity()), Eigen::Vector4d(1.0, 0.0, 0.0, 0.0));
}

TEST(So3, QuaternionOrderIsWFirst) {
  // 90 degrees about z
  const Eigen::Vector4d q = to_quaternion_wxyz(about_axis(2, 0.5 * kPi));
  EXPECT_NEAR(q[0], std::sqrt(0.5), 1e-15);
  EXPECT_NEAR(q[3], std::sqrt(0.5), 1e-15);
}

TEST(So3, RefusesAnInvalidQuaternion) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(from_quaternion_wxyz(Eigen::Vector4d::Zero()), Matrix3d(Matrix3d::Identity()));
  EXPECT_EQ(from_quaternion_wxyz({kNan, 0.0, 0.0, 1.0}), Matrix3d(Matrix3d::Identity()));
  EXPECT_EQ(from_quaternion_wxyz({1e308, 1e308, 0.0, 1.0}), Matrix3d(Matrix3d::Identity()));
}

}  // namespace
}  // namespace panto::so3
