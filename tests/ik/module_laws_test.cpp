// The laws of pan-tilt and spherical modules against forward kinematics and finite differences, and every
// printed equation that had to be corrected.

#include "panto/ik/module_laws.hpp"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <numbers>

#include "panto/math/euler.hpp"
#include "panto/math/so3.hpp"
#include "tests/support/random_model.hpp"
#include "tests/support/test_data.hpp"

namespace panto {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;
using test::Random;
using test::uniform;

constexpr double kPi = std::numbers::pi;
constexpr double kDegree = kPi / 180.0;
constexpr Regularisation kNone{0.0, 0.01, 0.1};
constexpr Regularisation kNarrow{0.3, 0.01, 0.1};  // exact from 18 degrees of the singular direction on
const ModuleLimits kFree{{-kInfinity, -kInfinity, -kInfinity}, {kInfinity, kInfinity, kInfinity}};

Matrix3d R_x(double a) { return so3::about_axis(0, a); }
Matrix3d R_y(double a) { return so3::about_axis(1, a); }
Matrix3d R_z(double a) { return so3::about_axis(2, a); }

// a direction in the plane that a tilt turns
Vector3d random_direction(Random& random) {
  const double a = uniform(random, -kPi, kPi);
  return {std::cos(a), 0.0, std::sin(a)};
}

// the laws by angles alone
PanTiltAngles with_turns(const PanTilt& q) { return {angle(q.pan), angle(q.tilt)}; }
SphericalAngles with_turns(const Vector3d& q) { return {angle(q[0]), angle(q[1]), angle(q[2])}; }
PanTilt values(const PanTiltAngles& q) { return {q[0].value, q[1].value}; }
Vector3d values(const SphericalAngles& q) { return {q[0].value, q[1].value, q[2].value}; }

double told(const Vector3d& u) { return confidence(u.x() * u.x() + u.y() * u.y(), kNarrow); }

double towards_axis_by(double way, double share) { return value_of(towards_axis(sincos(way), share)); }

// away from the direction that leaves the pan open
double s_of(const PanTilt& q, const Vector3d& d) { return link_direction(q, d).head<2>().squaredNorm(); }

TEST(Regulariser, IsWholeInsideZeroOutsideAndSmoothBetween) {
  // Eq. (10) and (11): values and slopes at both ends of the cubic
  const Regularisation r{0.7, 0.01, 0.1};
  EXPECT_EQ(regulariser(0.0, r), 0.7);
  EXPECT_EQ(regulariser(0.01, r), 0.7);
  EXPECT_EQ(regulariser(0.1, r), 0.0);
  EXPECT_EQ(regulariser(5.0, r), 0.0);
  EXPECT_NEAR(regulariser(0.01 + 1e-13, r), 0.7, 1e-12);
  EXPECT_NEAR(regulariser(0.1 - 1e-13, r), 0.0, 1e-12);
  const double h = 1e-7;
  for (const double end : {0.01, 0.1}) {
    EXPECT_NEAR((regulariser(end + h, r) - regulariser(end - h, r)) / (2.0 * h), 0.0, 1e-4) << end;
  }
  double before = 0.7;
  for (double s = 0.0; s <= 0.12; s += 1e-3) {
    EXPECT_LE(regulariser(s, r), before);
    before = regulariser(s, r);
  }
}

TEST(TowardsAxis, IsTheMeanOfTwoAxesByTheirShares) {
  // what is least of share sin^2(x - way) + (1 - share) sin^2(x), by a search
  Random random(13);
  for (int i = 0; i < 50; ++i) {
    const double way = uniform(random, -4.0, 4.0), share = uniform(random, 0.0, 1.0);
    const double found = towards_axis_by(way, share);
    const auto cost = [&](double x) {
      return share * std::pow(std::sin(x - way), 2) + (1.0 - share) * std::pow(std::sin(x), 2);
    };
    for (double x = -0.5 * kPi; x <= 0.5 * kPi; x += 1e-3) EXPECT_LE(cost(found), cost(x) + 1e-12);
    EXPECT_LE(std::abs(found), 0.5 * kPi + 1e-12);
  }
}

TEST(TowardsAxis, GoesAllOfTheWayWhereNothingIsHeldBackAndNoneAcrossARightAngle) {
  EXPECT_NEAR(towards_axis_by(0.7, 1.0), 0.7, 1e-15);
  EXPECT_NEAR(towards_axis_by(0.7 + kPi, 1.0), 0.7, 1e-12) << "an axis half a turn on is the same";
  EXPECT_NEAR(towards_axis_by(1e-3, 0.2), 2e-4, 1e-9) << "a short way by its share";
  EXPECT_NEAR(towards_axis_by(0.5 * kPi, 0.2), 0.0, 1e-12) << "either way would be as good";
  EXPECT_EQ(towards_axis_by(1.0, 0.0), 0.0);
}

TEST(TowardsAxis, IsPulledLittleByReadingsFromAllSides) {
  // the law of theory, section 2.4 takes share times the way modulo half a turn: pi^2/12 of share^2 on
  // average, this one 1/8
  constexpr double share = 1e-3;
  double sum = 0.0;
  constexpr int count = 1000;
  for (int i = 0; i < count; ++i) sum += std::pow(towards_axis_by(kPi * (i + 0.5) / count, share) / share, 2);
  EXPECT_NEAR(sum / count, 0.125, 1e-3);
}

TEST(Confidence, IsOneAwayFromTheSingularDirectionAndZeroOnIt) {
  const Regularisation r = kNarrow;
  EXPECT_EQ(confidence(0.1, r), 1.0);
  EXPECT_EQ(confidence(0.9, r), 1.0);
  EXPECT_EQ(confidence(1e-13, r), 0.0);
  EXPECT_EQ(confidence(0.0, kNone), 0.0) << "no 0/0 without regularisation either";
  EXPECT_NEAR(confidence(0.01, r), 0.01 / 0.31, 1e-15);
}

TEST(LinkDirection, IsRzRyD) {
  Random random(1);
  for (int i = 0; i < 100; ++i) {
    const Vector3d d = test::random_direction(random);
    const PanTilt q{uniform(random, -3.0, 3.0), uniform(random, -3.0, 3.0)};
    EXPECT_LT((link_direction(q, d) - R_z(q.pan) * R_y(q.tilt) * d).norm(), 1e-15);
  }
}

TEST(TiltOf, FindsTheTiltForAnyDirectionOfTheLink) {
  // Departure from Eq. (3), which is right for d = e3 alone: at the shoulder (d = e1) it is off by 90 degrees
  Random random(2);
  for (int i = 0; i < test::scaled(10000); ++i) {
    const Vector3d d = random_direction(random);
    const PanTilt q{uniform(random, -3.0, 3.0), uniform(random, -3.0, 3.0)};
    const double found = tilt_near(link_direction(q, d), sincos(q.pan), d, Angle{}).value;
    EXPECT_NEAR(std::remainder(found - q.tilt, 2.0 * kPi), 0.0, 1e-12);
  }
  const Vector3d e1 = Vector3d::UnitX();
  const Vector3d u = link_direction({0.3, 0.5}, e1);
  const double printed = std::atan2(std::hypot(u.x(), u.y()), u.z());
  EXPECT_NEAR((printed - tilt_near(u, sincos(0.3), e1, Angle{}).value) / kDegree, 90.0, 1e-9);
}

TEST(ChoosePanTilt, TakesTheBranchInsideTheLimitsAndNearestToRest) {
  // the paper's elbow at t = 0: -45 degrees, where Eq. (3) gives the other branch, (q3 + 180, +45)
  const Vector3d e3 = Vector3d::UnitZ();
  const PanTilt truth{20.0 * kDegree, -45.0 * kDegree};
  const Vector3d u = link_direction(truth, e3);
  const PanTilt near = choose_pan_tilt(u, e3, {0.0, -0.5}, kFree);
  EXPECT_NEAR(near.pan, truth.pan, 1e-12);
  EXPECT_NEAR(near.tilt, truth.tilt, 1e-12);
  // limits decide before nearness
  ModuleLimits bent{{-4.0, 0.0, 0.0}, {4.0, 1.4, 0.0}};
  const PanTilt other = choose_pan_tilt(u, e3, {0.0, -0.5}, bent);
  EXPECT_NEAR(std::abs(other.pan - truth.pan), kPi, 1e-12);
  EXPECT_NEAR(other.tilt, 45.0 * kDegree, 1e-12);
  // whole turns too
  const ModuleLimits far{{5.0, -3.0, 0.0}, {8.0, 3.0, 0.0}};
  EXPECT_NEAR(choose_pan_tilt(u, e3, {6.5, -0.5}, far).pan, truth.pan + 2.0 * kPi, 1e-12);
  // nothing tells the pan
  EXPECT_EQ(choose_pan_tilt(e3, e3, {0.4, 0.2}, kFree).pan, 0.4);
}

TEST(ChoosePanTilt, MeetsTheDirectionOnEitherBranch) {
  Random random(3);
  for (int i = 0; i < test::scaled(2000); ++i) {
    const Vector3d d = random_direction(random), u = test::random_direction(random);
    const PanTilt q = choose_pan_tilt(u, d, {uniform(random, -3.0, 3.0), uniform(random, -3.0, 3.0)}, kFree);
    EXPECT_LT((link_direction(q, d) - u).norm(), 1e-12);
  }
}

TEST(ChooseSpherical, MeetsTheOrientationInsideTheLimits) {
  Random random(4);
  for (int i = 0; i < test::scaled(2000); ++i) {
    const Vector3d truth{uniform(random, -1.5, 1.5), uniform(random, -1.5, 1.5), uniform(random, -1.5, 1.5)};
    const Vector3d flipped{truth[0] + kPi, kPi - truth[1], truth[2] + kPi};
    ModuleLimits limits{};
    for (std::size_t k = 0; k < 3; ++k) {
      limits.lower[k] = truth[static_cast<Eigen::Index>(k)] - 0.1;
      limits.upper[k] = truth[static_cast<Eigen::Index>(k)] + 0.1;
    }
    const Matrix3d R = spherical_rotation(truth);
    EXPECT_LT((choose_spherical(R, flipped, limits) - truth).norm(), 1e-9);
    EXPECT_LT((choose_spherical(R, flipped, kFree) - flipped).norm(), 1e-9) << "nearest, where none binds";
  }
}

TEST(FollowDirection, IsExactAwayFromTheSingularDirection) {
  Random random(5);
  for (int i = 0; i < test::scaled(5000); ++i) {
    const Vector3d d = random_direction(random);
    const PanTilt q{uniform(random, -3.0, 3.0), uniform(random, -3.0, 3.0)};
    if (s_of(q, d) < 0.1) continue;
    const PanTilt from{q.pan + uniform(random, -1.5, 1.5), q.tilt + uniform(random, -3.0, 3.0)};
    const Vector3d u = link_direction(q, d);
    const PanTilt found = values(follow_direction(u, with_turns(from), d, kFree, told(u)));
    EXPECT_NEAR(found.pan, q.pan, 1e-12) << "modulo half a turn the nearest is this branch";
    EXPECT_NEAR(found.tilt, q.tilt, 1e-12);
  }
}

TEST(FollowDirection, PassesStraightThroughTheSingularDirection) {
  // the tilt changes its sign and the pan stays: no flip by half a turn
  const Vector3d e3 = Vector3d::UnitZ();
  PanTilt q{0.7, -0.6};
  for (double tilt = -0.6; tilt <= 0.6; tilt += 1e-3) {
    const Vector3d u = link_direction({0.7, tilt}, e3);
    q = values(follow_direction(u, with_turns(q), e3, kFree, told(u)));
    ASSERT_NEAR(q.pan, 0.7, 1e-9);
    ASSERT_NEAR(q.tilt, tilt, 1e-9);
  }
}

TEST(FollowDirection, KeepsTheLinkWhereItIsToldEvenWhereThePanIsHeld) {
  // near the singular direction the pan lags, and what that costs the link is bounded by sqrt(beta_2)
  const Vector3d e3 = Vector3d::UnitZ();
  const PanTilt held{0.0, 0.05}, asked{kPi / 2.0, 0.05};
  const Vector3d u = link_direction(asked, e3);
  const PanTilt q = values(follow_direction(u, with_turns(held), e3, kFree, told(u)));
  EXPECT_LT(std::abs(q.pan), 0.1);
  EXPECT_LT((link_direction(q, e3) - link_direction(asked, e3)).norm(), 0.06);
}

TEST(FollowDirection, TakesAWholeTurnOffAPanThatHasWoundUpThoughTheTiltFitsOnNoBranch) {
  const Vector3d e3 = Vector3d::UnitZ();
  const ModuleLimits limits{{-1.5, -1.0, -kInfinity}, {1.5, 1.0, kInfinity}};
  const Vector3d u = link_direction({-0.15, 1.2}, e3);
  const PanTilt q =
      values(follow_direction(u, with_turns(PanTilt{-0.14 + 2.0 * kPi, 1.2}), e3, limits, told(u)));
  EXPECT_NEAR(q.pan, -0.15, 1e-12);
  EXPECT_NEAR(q.tilt, 1.2, 1e-12) << "lacks 0.2 on either branch";
}

TEST(Unwind, TakesWholeTurnsOffWhereMuchIsGainedAndLeavesOtherAnglesWhereTheyAre) {
  const ModuleLimits limits{{-1.5, -1.5, 0.0}, {1.5, 1.5, 3.0}};
  const auto unwound = [&](double value, std::size_t k = 0) {
    Angle q = angle(value);
    unwind(q, limits, k);
    EXPECT_EQ(q.turn.sin, angle(value).turn.sin) << "the same pose";
    return q.value;
  };
  EXPECT_EQ(unwound(1.4), 1.4) << "inside";
  EXPECT_EQ(unwound(2.2), 2.2) << "0.7 outside; a turn less would lack 2.6";
  EXPECT_EQ(unwound(-4.1), -4.1)
      << "2.6 outside; a turn more lacks 0.7: no leap to gain less than half a turn";
  EXPECT_NEAR(unwound(6.0), 6.0 - 2.0 * kPi, 1e-15) << "inside without the turn";
  EXPECT_NEAR(unwound(1.6 + 4.0 * kPi), 1.6, 1e-14) << "0.1 outside, not 12.7";
  EXPECT_NEAR(unwound(-6.0, 2), 2.0 * kPi - 6.0, 1e-15);
}

TEST(FollowPan, LeavesABranchThatEndsOutsideTheLimitsForItsTwin) {
  // from the singular direction on the wrong one of two branches: the tilt must not be below -0.15
  const Vector3d e3 = Vector3d::UnitZ();
  const ModuleLimits narrow{{-3.0, -0.15, -kInfinity}, {3.0, 2.5, kInfinity}};
  ModuleLimits wide = narrow;
  wide.lower[1] = -2.5;
  const auto follow = [&](const ModuleLimits& limits, bool& smooth) {
    PanTilt q{0.5 - kPi, 0.0};
    smooth = true;
    for (double tilt = 0.0; tilt <= 1.0; tilt += 2e-3) {
      const Vector3d u = link_direction({0.5, tilt}, e3);
      const PanTilt before = q;
      const Angle pan = follow_pan(u, with_turns(q), e3, limits, told(u));
      q = {pan.value, tilt_near(u, pan.turn, e3, angle(q.tilt)).value};
      smooth = smooth && std::abs(q.pan - before.pan) < 1.0;
      // what it costs the link is bounded by sqrt(beta_2), its distance to the singular direction
      EXPECT_LT((link_direction(q, e3) - u).norm(), 0.32);
    }
    return q;
  };
  bool smooth = false;
  PanTilt q = follow(narrow, smooth);
  EXPECT_NEAR(q.pan, 0.5, 1e-9);
  EXPECT_NEAR(q.tilt, 0.999, 2e-3);
  EXPECT_TRUE(smooth) << "while the pan is of little weight";
  q = follow(wide, smooth);
  EXPECT_NEAR(q.pan, 0.5 - kPi, 1e-9) << "both are inside: the nearer one";
  EXPECT_NEAR(q.tilt, -0.999, 2e-3);
}

TEST(FollowOrientation, LeavesABranchThatIsOutsideTheLimitsForItsTwin) {
  Random random(12);
  const ModuleLimits limits{{-2.0, -1.4, -1.5}, {2.0, 1.4, 1.5}};
  for (int i = 0; i < test::scaled(2000); ++i) {
    const Vector3d truth(uniform(random, -1.1, 1.1), uniform(random, -1.1, 1.1), uniform(random, -1.4, 1.4));
    const Vector3d twin(truth[0] + std::copysign(kPi, -truth[0]), std::copysign(kPi, truth[1]) - truth[1],
                        truth[2] + std::copysign(kPi, -truth[2]));
    const Matrix3d R = spherical_rotation(truth);
    ASSERT_LT((spherical_rotation(twin) - R).norm(), 1e-12);
    EXPECT_LT((values(follow_orientation(R, with_turns(twin), limits, kNarrow)) - truth).norm(), 1e-9);
    EXPECT_LT((values(follow_orientation(R, with_turns(twin), kFree, kNarrow)) - twin).norm(), 1e-9)
        << "the law by itself stays";
    const Vector3d near = truth + test::random_vector(random, 0.1);
    EXPECT_LT((values(follow_orientation(R, with_turns(near), limits, kNarrow)) -
               values(follow_orientation(R, with_turns(near), kFree, kNarrow)))
                  .norm(),
              1e-12);
  }
}

TEST(FollowAxis, ReadsThePanOffTheTiltAxisWithoutASingularDirection) {
  Random random(6);
  for (int i = 0; i < 1000; ++i) {
    const double pan = uniform(random, -3.0, 3.0), from = pan + uniform(random, -3.0, 3.0);
    EXPECT_NEAR(follow_axis(R_z(pan) * Vector3d::UnitY(), angle(from), kNarrow).value, pan, 1e-12);
  }
  EXPECT_EQ(follow_axis(Vector3d::UnitZ(), angle(0.3), kNarrow).value, 0.3)
      << "an axis along the pan's tells nothing";
}

TEST(PanTiltRates, AreThoseOfTheAngles) {
  // Eq. (5), (6), (13) as corrected: x^2 + y^2, and x_r^2 + z^2
  Random random(7);
  for (int i = 0; i < test::scaled(5000); ++i) {
    const Vector3d d = random_direction(random);
    const PanTilt q{uniform(random, -3.0, 3.0), uniform(random, -3.0, 3.0)};
    const PanTilt rate{uniform(random, -2.0, 2.0), uniform(random, -2.0, 2.0)};
    if (s_of(q, d) < 0.1) continue;
    const Vector3d u = link_direction(q, d);
    const Vector3d w = rate.pan * Vector3d::UnitZ() + rate.tilt * R_z(q.pan).col(1);
    const PanTilt found = pan_tilt_rates(u, w.cross(u), q, d, 0.0, kNarrow);
    EXPECT_NEAR(found.pan, rate.pan, 1e-11);
    EXPECT_NEAR(found.tilt, rate.tilt, 1e-11);
    EXPECT_NEAR(axis_pan_rate(R_z(q.pan).col(1), w.cross(R_z(q.pan).col(1)), q.pan, 0.0, kNarrow), rate.pan,
                1e-12);
  }
}

TEST(PanTiltRates, DivideByTheLengthThatThePanLeaves) {
  // Eq. (13) prints x^2 + z^2: at a pan of 60 degrees that is four times too small
  const Vector3d e1 = Vector3d::UnitX();
  const PanTilt q{60.0 * kDegree, 0.0};
  const Vector3d u = link_direction(q, e1), w = R_z(q.pan).col(1);
  const double tilt = pan_tilt_rates(u, w.cross(u), q, e1, 0.0, kNarrow).tilt;
  EXPECT_NEAR(tilt, 1.0, 1e-12);
  const double printed = tilt / (u.x() * u.x() + u.z() * u.z());
  EXPECT_NEAR(printed, 4.0, 1e-9);
}

TEST(PanTiltRates, StayFiniteWhereThePanIsWrongByARightAngle) {
  // x_r^2 + z^2 vanishes there, which L^2 never does
  const Vector3d e1 = Vector3d::UnitX();
  const PanTilt rates = pan_tilt_rates(e1, Vector3d::UnitY(), {kPi / 2.0, 0.0}, e1, 5.0, kNarrow);
  EXPECT_TRUE(std::isfinite(rates.pan) && std::isfinite(rates.tilt));
}

// steps of the law's feedback towards a direction that stands still
PanTilt settle(const Vector3d& u, PanTilt q, const Vector3d& d, double seconds) {
  constexpr double dt = 0.005;
  for (double t = 0.0; t < seconds; t += dt) {
    const PanTilt rate = pan_tilt_rates(u, Vector3d::Zero(), q, d, 5.0, kNarrow);
    q.pan += dt * rate.pan;
    q.tilt += dt * rate.tilt;
  }
  return q;
}

TEST(PanTiltRates, LeadBackToTheTruthOnBothBranches) {
  const Vector3d e3 = Vector3d::UnitZ();
  for (const PanTilt& truth : {PanTilt{0.4, 0.8}, PanTilt{0.4 + kPi, -0.8}}) {
    const PanTilt q = settle(link_direction(truth, e3), {truth.pan + 0.5, truth.tilt - 0.3}, e3, 6.0);
    EXPECT_NEAR(q.pan, truth.pan, 1e-6) << "rho is signed: the same law on either side";
    EXPECT_NEAR(q.tilt, truth.tilt, 1e-6);
  }
}

TEST(SphericalRotation, IsRzRyRx) {
  Random random(8);
  for (int i = 0; i < 100; ++i) {
    const Vector3d q = test::random_vector(random, 3.0);
    EXPECT_LT((spherical_rotation(q) - R_z(q[0]) * R_y(q[1]) * R_x(q[2])).norm(), 1e-15);
  }
}

TEST(FollowOrientation, IsExactAwayFromTheSingularPoseAndMeetsItEvenThere) {
  Random random(9);
  for (int i = 0; i < test::scaled(5000); ++i) {
    const Vector3d q{uniform(random, -3.0, 3.0), uniform(random, -1.2, 1.2), uniform(random, -3.0, 3.0)};
    const Vector3d from = q + test::random_vector(random, 1.2);
    EXPECT_LT((values(follow_orientation(spherical_rotation(q), with_turns(from), kFree, kNarrow)) - q)
                  .cwiseAbs()
                  .maxCoeff(),
              1e-9);
  }
  // with q2 at 90 degrees only q1 - q3 is determined: q3 stays, q1 makes up for it
  const Matrix3d R = spherical_rotation({0.3, kPi / 2.0, 0.8});
  const Vector3d found = values(follow_orientation(R, with_turns(Vector3d(0.0, 1.5, 0.5)), kFree, kNarrow));
  EXPECT_NEAR(found[2], 0.5, 1e-6);
  EXPECT_LT(so3::distance(spherical_rotation(found), R), 1e-6);
}

// rates of R for rates of q
Matrix3d moving(const Vector3d& q, const Vector3d& rate) {
  const Vector3d w =
      rate[0] * Vector3d::UnitZ() + rate[1] * R_z(q[0]).col(1) + rate[2] * (R_z(q[0]) * R_y(q[1])).col(0);
  return so3::hat(w) * spherical_rotation(q);
}

TEST(SphericalRates, AreThoseOfTheAngles) {
  Random random(10);
  for (int i = 0; i < test::scaled(5000); ++i) {
    const Vector3d q{uniform(random, -3.0, 3.0), uniform(random, -1.2, 1.2), uniform(random, -3.0, 3.0)};
    const Vector3d rate = test::random_vector(random, 2.0);
    const Vector3d found = spherical_rates(spherical_rotation(q), moving(q, rate), q, 0.0, kNarrow);
    EXPECT_LT((found - rate).cwiseAbs().maxCoeff(), 1e-10);
  }
}

TEST(SphericalRates, KeepTheTermsThatQ3sOwnMotionAddsToTheOtherTwo) {
  // q3 alone moves: q1 stands still. Without q3' in alpha_2' and alpha_3' the law says -q3' sin q2, here
  // -sin 0.8 = -0.7174; that value is what this test would see
  const Vector3d q{0.4, 0.8, -0.3}, rate{0.0, 0.0, 1.0};
  const Matrix3d R = spherical_rotation(q), V = moving(q, rate);
  EXPECT_NEAR(spherical_rates(R, V, q, 0.0, kNarrow)[0], 0.0, 1e-12);
  const double s = std::sin(q[2]), c = std::cos(q[2]);
  const double alpha_2 = R(0, 2) * s - R(0, 1) * c, alpha_3 = R(1, 1) * c - R(1, 2) * s;
  const double without = alpha_3 * (V(0, 2) * s - V(0, 1) * c) - alpha_2 * (V(1, 1) * c - V(1, 2) * s);
  EXPECT_NEAR(without, -0.7174, 5e-5);
}

TEST(SphericalRates, StayFiniteInTheSingularPoseAndLeadBackFromBesideIt) {
  const Matrix3d R = spherical_rotation({0.2, kPi / 2.0, 0.0});
  EXPECT_TRUE(spherical_rates(R, Matrix3d::Zero(), {0.0, 1.3, 0.4}, 5.0, kNarrow).allFinite());
  const Vector3d truth{0.2, 0.9, -0.4};
  Vector3d q{0.5, 0.6, 0.0};
  for (int k = 0; k < 1200; ++k)
    q += 0.005 * spherical_rates(spherical_rotation(truth), Matrix3d::Zero(), q, 5.0, kNarrow);
  EXPECT_LT((q - truth).norm(), 1e-6);
}

TEST(TurnInside, AddsWholeTurnsToReachTheLimits) {
  double angle = 3.0;
  EXPECT_EQ(turn_inside(angle, -4.0, -3.0, 0.0), 0.0);
  EXPECT_NEAR(angle, 3.0 - 2.0 * kPi, 1e-15);
  angle = 1.0;
  EXPECT_NEAR(turn_inside(angle, -0.5, 0.5, 0.0), 0.5, 1e-15) << "what it lacks";
  EXPECT_EQ(angle, 1.0);
}

}  // namespace
}  // namespace panto
