#include "panto/motion/joint_curves.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "panto/base/error.hpp"
#include "panto/base/index.hpp"
#include "tests/support/test_data.hpp"

namespace panto {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

std::vector<Time> stamps(int count, double rate) {
  std::vector<Time> t;
  for (int k = 0; k < count; ++k) t.push_back(frame_time(k, rate));
  return t;
}

JointCurves unlimited(const std::vector<Time>& t, const Eigen::MatrixXd& q, double rest = 0.0) {
  const Eigen::VectorXd none = Eigen::VectorXd::Constant(q.rows(), kInf);
  return {t, q, -none, none, rest};
}

/// A walk of `joints` joints at uneven stamps, each step up to `size`.
struct Walk {
  std::vector<Time> t;
  Eigen::MatrixXd q;
  Walk(int joints, int samples, double size, std::uint64_t seed) : q(joints, samples) {
    std::mt19937_64 engine(seed);
    std::uniform_real_distribution<double> uniform(-1.0, 1.0);
    Time now = 0;
    for (int k = 0; k < samples; ++k) {
      t.push_back(now);
      now += from_seconds(0.01 + 0.009 * uniform(engine));
      for (int i = 0; i < joints; ++i)
        q(i, k) = std::clamp((k > 0 ? q(i, k - 1) : 0.0) + size * uniform(engine), -1.0, 1.0);
    }
  }
};

TEST(JointCurves, MeetTheSamplesAndAreTwiceContinuouslyDifferentiable) {
  const Walk walk(3, 40, 0.2, 1);
  const JointCurves curves = unlimited(walk.t, walk.q);
  JointCurvePoint end, begin;
  for (int k = 0; k + 1 < curves.samples(); ++k) {
    curves.at_share(k, 0.0, begin);
    EXPECT_EQ(begin.q, walk.q.col(k));
    if (k > 0) {
      EXPECT_LT((begin.dq - end.dq).norm(), 1e-9);
      EXPECT_LT((begin.ddq - end.ddq).norm(), 1e-6 * (1.0 + begin.ddq.norm()));
    }
    curves.at_share(k, 1.0, end);
    EXPECT_EQ(end.q, walk.q.col(k + 1));
  }
}

TEST(JointCurves, DerivativesAreThoseOfTheValues) {
  const Walk walk(2, 30, 0.1, 2);
  const JointCurves curves = unlimited(walk.t, walk.q);
  JointCurvePoint before, here, behind;
  const double step = 1e-4;
  for (int k = 0; k + 1 < curves.samples(); ++k) {
    const double h = curves.time(k + 1) - curves.time(k);
    for (const double x : {0.2, 0.5, 0.501, 0.8}) {
      curves.at_share(k, x - step, before);
      curves.at_share(k, x, here);
      curves.at_share(k, x + step, behind);
      EXPECT_LT(((behind.q - before.q) / (2.0 * step * h) - here.dq).norm(), 1e-5);
      EXPECT_LT(((behind.dq - before.dq) / (2.0 * step * h) - here.ddq).norm(),
                1e-5 * (1.0 + here.ddq.norm()));
    }
  }
}

TEST(JointCurves, FollowASineToTheFourthOrder) {
  double worst[2];
  for (int i = 0; i < 2; ++i) {
    const double rate = 40.0 * (i + 1);
    Eigen::MatrixXd q(1, static_cast<int>(4.0 * rate));
    for (int k = 0; k < q.cols(); ++k) q(0, k) = std::sin(3.0 * k / rate);
    const JointCurves curves = unlimited(stamps(static_cast<int>(q.cols()), rate), q);
    JointCurvePoint point;
    worst[i] = 0.0;
    for (int k = 20; k + 20 < q.cols(); ++k) {
      curves.at_share(k, 0.5, point);
      worst[i] = std::max(worst[i], std::abs(point.q[0] - std::sin(3.0 * (k + 0.5) / rate)));
    }
  }
  EXPECT_LT(worst[0], 1e-6);
  EXPECT_NEAR(worst[0] / worst[1], 16.0, 2.0);
}

TEST(JointCurves, PeaksAreExactBetweenSamplesToo) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Walk walk(1, 50, 0.3, seed);
    const JointCurves curves = unlimited(walk.t, walk.q);
    const CurvePeak speed = curves.peak_speed(0), acceleration = curves.peak_acceleration(0);
    double seen = 0.0, seen_acceleration = 0.0, part = 0.0;
    JointCurvePoint point;
    for (int k = 0; k + 1 < curves.samples(); ++k) {
      for (int j = 0; j <= 1000; ++j) {
        curves.at_share(k, 1e-3 * j, point);
        seen = std::max(seen, std::abs(point.dq[0]));
        seen_acceleration = std::max(seen_acceleration, std::abs(point.ddq[0]));
        if (k == 20 && j >= 250 && j <= 700) part = std::max(part, std::abs(point.dq[0]));
      }
    }
    EXPECT_NEAR(speed.value, seen, 1e-5 * seen);
    EXPECT_GE(speed.value, seen - 1e-12);
    EXPECT_NEAR(acceleration.value, seen_acceleration, 1e-9 * seen_acceleration);
    EXPECT_NEAR(curves.peak_speed(0, 20, 0.25, 0.7), part, 1e-4 * seen);
    // and they are where it says
    curves.at_share(
        curves.interval(speed.time),
        (speed.time - curves.time(curves.interval(speed.time))) /
            (curves.time(curves.interval(speed.time) + 1) - curves.time(curves.interval(speed.time))),
        point);
    EXPECT_NEAR(std::abs(point.dq[0]), speed.value, 1e-6);
  }
}

TEST(JointCurves, StayWithinTheLimitsThatTheSamplesKeep) {
  int would_leave = 0;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const Walk walk(2, 60, 0.8, seed);  // often at +-1 for a few samples
    Eigen::VectorXd lower(2), upper(2);
    lower << -1.0, -kInf;
    upper << 1.0, 1.0;
    const JointCurves limited(walk.t, walk.q, lower, upper, 0.0), free = unlimited(walk.t, walk.q);
    JointCurvePoint point, before;
    for (int k = 0; k + 1 < limited.samples(); ++k) {
      for (int j = 0; j <= 50; ++j) {
        limited.at_share(k, 0.02 * j, point);
        EXPECT_LE(point.q.maxCoeff(), 1.0 + 1e-14);
        EXPECT_GE(point.q[0], -1.0 - 1e-14);
        EXPECT_TRUE(j > 0 || k == 0 || (point.dq - before.dq).norm() < 1e-9) << "speeds are continuous";
        free.at_share(k, 0.02 * j, before);
        would_leave += static_cast<int>(before.q.maxCoeff() > 1.0 + 1e-3);
      }
      limited.at_share(k, 1.0, before);
    }
  }
  EXPECT_GT(would_leave, 1000) << "the test is one";
}

TEST(JointCurves, ASampleOutsideIsItsOwnLimit) {
  Eigen::MatrixXd q(1, 5);
  q << 0.0, 0.5, 1.5, 0.5, 0.0;
  const JointCurves curves(stamps(5, 10.0), q, Eigen::VectorXd::Constant(1, -1.0),
                           Eigen::VectorXd::Constant(1, 1.0), 0.0);
  JointCurvePoint point;
  curves.at_share(2, 0.0, point);
  EXPECT_EQ(point.q[0], 1.5);
}

TEST(JointCurves, EndsThatAreNearlyAtRestAre) {
  Eigen::MatrixXd q(2, 20);
  for (int k = 0; k < 20; ++k) q.col(k) << 1e-4 * k, 0.01 * k;
  const JointCurves curves = unlimited(stamps(20, 80.0), q, 0.02);
  JointCurvePoint point;
  curves.at_share(0, 0.0, point);
  EXPECT_EQ(point.dq[0], 0.0) << "0.008 rad/s";
  EXPECT_NEAR(point.dq[1], 0.8, 1e-12);
}

TEST(JointCurves, FewSamplesAreClear) {
  EXPECT_EQ(unlimited({}, Eigen::MatrixXd(2, 0)).duration(), 0.0);
  const JointCurves one = unlimited({5}, Eigen::MatrixXd::Ones(2, 1));
  EXPECT_EQ(one.peak_speed(1).value, 0.0);
  EXPECT_EQ(one.peak_acceleration(1).value, 0.0);
  Eigen::MatrixXd q(1, 2);
  q << 0.0, 1.0;
  EXPECT_NEAR(unlimited(stamps(2, 10.0), q).peak_speed(0).value, 10.0, 1e-12) << "a straight line";
}

TEST(JointCurves, RefuseWhatMakesNoSense) {
  const Eigen::MatrixXd q = Eigen::MatrixXd::Zero(2, 4);
  Eigen::MatrixXd holed = q;
  holed(1, 2) = std::nan("");
  EXPECT_THROW(unlimited(stamps(3, 10.0), q), ConfigError);
  EXPECT_THROW(unlimited(stamps(4, 10.0), holed), ConfigError);
  EXPECT_THROW(unlimited({0, 2, 2, 3}, q), ConfigError);
  EXPECT_THROW(JointCurves(stamps(4, 10.0), q, Eigen::VectorXd::Zero(1), Eigen::VectorXd::Zero(2), 0.0),
               ConfigError);
}

}  // namespace
}  // namespace panto
