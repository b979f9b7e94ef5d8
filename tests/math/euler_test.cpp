#include "panto/math/euler.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <numbers>

#include "tests/support/random_model.hpp"
#include "tests/support/test_data.hpp"

namespace panto::euler {
namespace {

constexpr double kPi = std::numbers::pi;
constexpr double kHalfPi = 0.5 * kPi;

constexpr std::array<Sequence, 6> kSequences{Sequence{0, 1, 2}, Sequence{1, 2, 0}, Sequence{2, 0, 1},
                                             Sequence{0, 2, 1}, Sequence{1, 0, 2}, Sequence{2, 1, 0}};

double largest(const Matrix3d& M) { return M.cwiseAbs().maxCoeff(); }

std::string name(const Sequence& q) {
  std::string text;
  for (const int axis : q) text += static_cast<char>('x' + axis);
  return text;
}

TEST(Euler, AnglesMultiplyUpOutermostFirst) {
  const Vector3d angles(0.3, -0.8, 1.9);
  for (const Sequence& q : kSequences) {
    const Matrix3d expected = so3::exp(0.3 * Vector3d::Unit(q[0])) * so3::exp(-0.8 * Vector3d::Unit(q[1])) *
                              so3::exp(1.9 * Vector3d::Unit(q[2]));
    EXPECT_LT(largest(to_rotation(angles, q) - expected), 1e-15) << name(q);
  }
}

TEST(Euler, PrincipalAnglesComeBackFromTheirRotation) {
  test::Random random(1);
  for (const Sequence& q : kSequences) {
    double worst = 0.0;
    for (int i = 0; i < test::scaled(20000); ++i) {
      const Vector3d angles(test::uniform(random, -kPi, kPi), test::uniform(random, -1.5, 1.5),
                            test::uniform(random, -kPi, kPi));
      worst = std::max(worst, (from_rotation(to_rotation(angles, q), q) - angles).cwiseAbs().maxCoeff());
    }
    EXPECT_LT(worst, 1e-13) << name(q);  // 1/cos(1.5) = 14 times rounding
  }
}

TEST(Euler, EveryRotationIsReadAsItselfWithAMiddleAngleWithinAQuarterTurn) {
  test::Random random(2);
  for (const Sequence& q : kSequences) {
    for (int i = 0; i < test::scaled(5000); ++i) {
      const Matrix3d R = test::random_rotation(random);
      const Vector3d angles = from_rotation(R, q);
      ASSERT_LE(std::abs(angles[1]), kHalfPi);
      // each outer angle carries the rounding of R divided by cos b
      ASSERT_LT(largest(to_rotation(angles, q) - R), 1e-15 + 1e-15 / std::cos(angles[1])) << name(q);
    }
  }
}

TEST(Euler, InTheLockTheThirdAngleIsZeroAndTheRotationIsKept) {
  test::Random random(3);
  for (const Sequence& q : kSequences) {
    for (const double b : {kHalfPi, -kHalfPi}) {
      for (int i = 0; i < 200; ++i) {
        const Vector3d angles(test::uniform(random, -kPi, kPi), b, test::uniform(random, -kPi, kPi));
        const Matrix3d R = to_rotation(angles, q);
        const Vector3d read = from_rotation(R, q);
        ASSERT_EQ(read[2], 0.0) << name(q);
        ASSERT_NEAR(read[1], b, 1e-8) << name(q);
        ASSERT_LT(largest(to_rotation(read, q) - R), 1e-15 + 1e-9) << name(q);
      }
    }
  }
}

TEST(Euler, TheRotationIsKeptAtAnyDistanceFromTheLock) {
  test::Random random(4);
  for (const Sequence& q : kSequences) {
    for (int i = 0; i < test::scaled(2000); ++i) {
      const double off = std::pow(10.0, test::uniform(random, -17.0, -1.0));
      const Vector3d angles(test::uniform(random, -kPi, kPi), (i % 2 == 0 ? 1.0 : -1.0) * (kHalfPi - off),
                            test::uniform(random, -kPi, kPi));
      const Matrix3d R = to_rotation(angles, q);
      // the lock begins at cos b = 1e-9: what it neglects is of that size
      ASSERT_LT(largest(to_rotation(from_rotation(R, q), q) - R), 3e-9) << name(q) << " " << off;
      const Vector3d near = angles + test::random_vector(random, 0.3);
      ASSERT_LT(largest(to_rotation(nearest(R, q, near), q) - R), 3e-9) << name(q) << " " << off;
    }
  }
}

TEST(Euler, UnwrapStaysWithinHalfATurn) {
  test::Random random(5);
  for (int i = 0; i < 10000; ++i) {
    const double angle = test::uniform(random, -100.0, 100.0), near = test::uniform(random, -100.0, 100.0);
    const double u = unwrap(angle, near);
    ASSERT_LE(std::abs(u - near), kPi + 1e-12);
    const double turns = (u - angle) / (2.0 * kPi);
    ASSERT_NEAR(turns, std::round(turns), 1e-12);
  }
  EXPECT_EQ(unwrap(0.25, 0.25), 0.25);
}

TEST(Euler, NearestFindsTheBranchThatTheAnglesCameFrom) {
  test::Random random(6);
  for (const Sequence& q : kSequences) {
    for (int i = 0; i < test::scaled(5000); ++i) {
      // any branch: middle angles far beyond a quarter turn, several turns of all three
      const Vector3d angles = test::random_vector(random, 12.0);
      if (std::abs(std::cos(angles[1])) < 0.05) continue;
      const Vector3d near = angles + test::random_vector(random, 0.4 * std::abs(std::cos(angles[1])));
      ASSERT_LT((nearest(to_rotation(angles, q), q, near) - angles).cwiseAbs().maxCoeff(), 1e-12) << name(q);
    }
  }
}

TEST(Euler, NearestIsNeverFartherThanTheOtherBranch) {
  test::Random random(7);
  for (int i = 0; i < test::scaled(20000); ++i) {
    const Vector3d p(test::uniform(random, -kPi, kPi), test::uniform(random, -kHalfPi, kHalfPi),
                     test::uniform(random, -kPi, kPi));
    const Vector3d near = test::random_vector(random, 10.0);
    const double chosen = (nearest_branch(p, near) - near).squaredNorm();
    for (int turns = 0; turns < 125; ++turns) {
      const Vector3d whole = 2.0 * kPi * Vector3d(turns % 5 - 2, turns / 5 % 5 - 2, turns / 25 - 2);
      ASSERT_LE(chosen, (p + whole - near).squaredNorm() + 1e-12);
      ASSERT_LE(chosen, (Vector3d(p[0] + kPi, kPi - p[1], p[2] + kPi) + whole - near).squaredNorm() + 1e-12);
    }
  }
}

TEST(Euler, AReadingFollowsItsMotionStraightThroughTheGimbalLock) {
  // all three angles run, the middle one through three locks; a sample falls into the lock itself
  for (const Sequence& q : kSequences) {
    const auto truth = [](double t) { return Vector3d(0.4 + 0.7 * t, t, -1.1 - 0.5 * t); };
    Vector3d reading = truth(0.0);
    for (int k = 1; k <= 600; ++k) {
      const double t = k * kPi / 200.0;  // k = 100, 300, 500: pi/2, 3 pi/2, 5 pi/2
      const Vector3d before = reading;
      reading = nearest(to_rotation(truth(t), q), q, reading);
      // in the lock itself the sum is split anew: half of what the free difference moved in one step
      const double off = k % 200 == 100 ? 0.02 : 1e-8;
      ASSERT_LT((reading - truth(t)).cwiseAbs().maxCoeff(), off) << name(q) << " at " << t;
      ASSERT_LT((reading - before).cwiseAbs().maxCoeff(), 0.03) << name(q) << " at " << t;
    }
  }
}

TEST(Euler, InTheLockTheChangeIsSharedByTheOuterAngles) {
  for (const Sequence& q : kSequences) {
    for (const double b : {kHalfPi, -kHalfPi}) {
      const Vector3d near(0.5, b, -0.2);
      const Matrix3d R = to_rotation(near + Vector3d(0.06, 0.0, 0.0), q);
      const Vector3d read = nearest(R, q, near);
      EXPECT_NEAR(std::abs(read[0] - near[0]), 0.03, 1e-9) << name(q);
      EXPECT_NEAR(std::abs(read[2] - near[2]), 0.03, 1e-9) << name(q);
      EXPECT_LT(largest(to_rotation(read, q) - R), 3e-9) << name(q);
    }
  }
}

TEST(Euler, RollPitchYawGiveTheirRotationBackAtAnyDistanceFromTheLock) {
  const Vector3d rpy(0.3, -0.8, 1.9);
  EXPECT_LT(largest(from_roll_pitch_yaw(rpy) -
                    so3::about_axis(2, 1.9) * so3::about_axis(1, -0.8) * so3::about_axis(0, 0.3)),
            1e-15);
  EXPECT_LT((roll_pitch_yaw(from_roll_pitch_yaw(rpy)) - rpy).cwiseAbs().maxCoeff(), 1e-15);
  test::Random random(5);
  double worst = 0.0;
  for (int i = 0; i < test::scaled(20000); ++i) {
    const double from_lock = i % 2 == 0 ? std::pow(10.0, test::uniform(random, -17.0, 0.0)) : 0.0;
    const Vector3d angles(test::uniform(random, -kPi, kPi), (i % 4 < 2 ? 1.0 : -1.0) * (kHalfPi - from_lock),
                          test::uniform(random, -kPi, kPi));
    const Matrix3d R = so3::project(from_roll_pitch_yaw(angles));
    worst = std::max(worst, largest(from_roll_pitch_yaw(roll_pitch_yaw(R)) - R));
  }
  EXPECT_LT(worst, 1e-15);
}

}  // namespace
}  // namespace panto::euler
