#include "panto/ik/joint_limits.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "panto/base/index.hpp"
#include "panto/math/vector_math.hpp"
#include "tests/support/random_model.hpp"
#include "tests/support/test_data.hpp"

namespace panto {
namespace {

// one revolute joint within [lower, upper], speed limit v_max
Model one_joint(double lower, double upper, double v_max) {
  ModelSpec spec;
  spec.name = "one";
  spec.links = {{"base"}, {"arm"}};
  Joint joint;
  joint.name = "hinge";
  joint.type = JointType::Revolute;
  joint.parent = "base";
  joint.child = "arm";
  joint.lower = lower;
  joint.upper = upper;
  joint.velocity = v_max;
  spec.joints = {joint};
  return Model(spec);
}

// farthest beyond the upper limit when the joint always runs as fast as the law allows
double worst_overshoot(const LimitOptions& options, double v_max, double dt, double start = 0.0) {
  const Model model = one_joint(-1.0, 1.0, v_max);
  const JointLimits limits(model, options);
  Eigen::VectorXd s = Eigen::VectorXd::Constant(1, start), lower(1), upper(1);
  double worst = -kInfinity;
  for (int k = 0; k < 2000; ++k) {
    limits.velocity_bounds(s, dt, lower, upper);
    s += dt * upper;
    worst = std::max(worst, s[0] - 1.0);
  }
  return worst;
}

TEST(JointLimits, NeverCrossTheLimitUnderAnyLawThatPromisesIt) {
  for (const LimitLaw law : {LimitLaw::Exact, LimitLaw::Tanh, LimitLaw::Braking}) {
    for (const double dt : {1e-4, 1e-3, 0.01, 0.02, 0.1}) {
      for (const double v_max : {0.1, 1.0, 10.0, 100.0}) {
        LimitOptions options;
        options.law = law;
        options.tanh_gain = 50.0;
        EXPECT_LE(worst_overshoot(options, v_max, dt), 1e-12)
            << "law " << static_cast<int>(law) << ", dt " << dt << ", v " << v_max;
      }
    }
  }
}

TEST(JointLimits, ReproduceTheOvershootOfTheTanhLawBeyondItsDiscreteCondition) {
  // theory, section 1.5: worst overshoot for K_g v_max dt = 1.1, 1.5, 2 at v_max = 10, dt = 20 ms
  LimitOptions options;
  options.law = LimitLaw::Tanh;
  options.tanh_discrete_condition = false;
  const auto overshoot = [&](double product) {
    options.tanh_gain = product / (10.0 * 0.02);
    double worst = 0.0;
    for (double start = -1.0; start < 1.0; start += 0.001)
      worst = std::max(worst, worst_overshoot(options, 10.0, 0.02, start));
    return worst;
  };
  EXPECT_LE(overshoot(1.0), 1e-12);
  EXPECT_NEAR(overshoot(1.1), 0.004, 0.002);
  EXPECT_NEAR(overshoot(1.5), 0.028, 0.003);
  EXPECT_NEAR(overshoot(2.0), 0.053, 0.003);
}

TEST(JointLimits, SlowDownFarFromTheLimitWithTheAuthorsGain) {
  // theory, section 1.5: k = 0.5/rad allows 0.05, 0.17, 0.46, 0.76 of v_max at 0.1, 0.35, 1, 2 rad
  const Model model = one_joint(-5.0, 5.0, 10.0);
  LimitOptions options;
  options.law = LimitLaw::Tanh;
  const JointLimits limits(model, options);
  Eigen::VectorXd lower(1), upper(1);
  for (const auto& [distance, share] : {std::pair{0.1, 0.05}, {0.35, 0.17}, {1.0, 0.46}, {2.0, 0.76}}) {
    limits.velocity_bounds(Eigen::VectorXd::Constant(1, 5.0 - distance), 0.02, lower, upper);
    EXPECT_NEAR(upper[0] / 10.0, share, 0.006);
  }
}

TEST(JointLimits, BrakeSoThatEveryStopFits) {
  test::Random random(1);
  for (int i = 0; i < test::scaled(2000); ++i) {
    const double a = test::uniform(random, 1.0, 100.0), dt = std::exp(test::uniform(random, -7.0, -2.0));
    const double distance = std::exp(test::uniform(random, -12.0, 2.0));
    const double v = braking_speed(distance, a, dt);
    double travelled = 0.0;
    int steps = 0;
    for (double speed = v; speed > 0.0 && steps < 2000000; speed -= a * dt, ++steps) travelled += speed * dt;
    EXPECT_LE(travelled, distance * (1.0 + 1e-9)) << "a " << a << ", dt " << dt;
    EXPECT_GE(travelled, distance * (1.0 - 1e-6)) << "slower than it could be";
    // at the continuous limit v = sqrt(2 a d)
    EXPECT_LE(v, std::sqrt(2.0 * a * distance) * (1.0 + 1e-12));
  }
}

TEST(JointLimits, SendAJointThatStartsOutsideBackWithoutContradiction) {
  // theory, section 1.5 (i): p = 1.8 in [-1, 1] with the printed law and asymmetric speeds has no admissible
  // velocity
  for (const LimitLaw law : {LimitLaw::Exact, LimitLaw::Tanh, LimitLaw::Braking}) {
    LimitOptions options;
    options.law = law;
    const Model model = one_joint(-1.0, 1.0, 10.0);
    const JointLimits limits(model, options);
    Eigen::VectorXd lower(1), upper(1), s = Eigen::VectorXd::Constant(1, 1.8);
    for (int k = 0; k < 10; ++k) {
      limits.velocity_bounds(s, 0.02, lower, upper);
      ASSERT_LE(lower[0], upper[0]);
      ASSERT_GE(upper[0], -10.0) << "recovery is not faster than the speed limit";
      s += 0.02 * upper;
    }
    EXPECT_LE(s[0], 1.0 + 1e-12) << "0.8 rad at 10 rad/s take 4 steps of 20 ms";
  }
}

TEST(JointLimits, AlwaysLeaveAnAdmissibleVelocity) {
  test::Random random(2);
  for (int i = 0; i < test::scaled(20000); ++i) {
    const double a = test::uniform(random, -2.0, 2.0),
                 width = test::chance(random, 0.2) ? 0.0 : test::uniform(random, 0.0, 3.0);
    const Model model = one_joint(a, a + width, std::exp(test::uniform(random, -4.0, 5.0)));
    LimitOptions options;
    options.law = static_cast<LimitLaw>(test::pick(random, 4));
    const JointLimits limits(model, options);
    Eigen::VectorXd lower(1), upper(1);
    limits.velocity_bounds(Eigen::VectorXd::Constant(1, test::uniform(random, -4.0, 4.0)),
                           std::exp(test::uniform(random, -7.0, -2.0)), lower, upper);
    ASSERT_LE(lower[0], upper[0]);
    ASSERT_TRUE(std::isfinite(lower[0]) && std::isfinite(upper[0]));
  }
}

TEST(JointLimits, TheTanhLawIsAsAccurateAsStatedForEveryRangeGainAndStep) {
  test::Random random(3);
  double worst = 0.0;
  for (int i = 0; i < test::scaled(50000); ++i) {
    const double v = std::exp(test::uniform(random, -3.0, 4.0));
    const double width = std::pow(10.0, test::uniform(random, -14.0, 2.0));
    double lower = test::chance(random, 0.5) ? -0.5 * width : test::uniform(random, -3.0, 3.0);
    double upper = lower + width;
    const double share = std::pow(10.0, test::uniform(random, -12.0, 0.0));
    const double s = test::chance(random, 0.5) ? lower + share * width : upper - share * width;
    if (test::chance(random, 0.1)) lower = -kInfinity;
    if (test::chance(random, 0.1)) upper = kInfinity;
    if (!(lower < s && s < upper)) continue;
    LimitOptions options;
    options.law = LimitLaw::Tanh;
    options.tanh_gain = std::exp(test::uniform(random, -3.0, 6.0));
    options.tanh_discrete_condition = test::chance(random, 0.7);
    const double dt = std::exp(test::uniform(random, -9.0, -2.0));
    const double cap = options.tanh_discrete_condition ? 1.0 / (v * dt) : kInfinity;
    const long double K = std::min(options.tanh_gain, cap);
    const JointLimits limits(one_joint(lower, upper, v), options);
    Eigen::VectorXd least(1), most(1);
    limits.velocity_bounds(Eigen::VectorXd::Constant(1, s), dt, least, most);
    const auto truth = [&](double distance) { return v * std::tanh(K * static_cast<long double>(distance)); };
    worst = std::max(worst, static_cast<double>(std::abs(most[0] - truth(upper - s))) / v);
    worst = std::max(worst, static_cast<double>(std::abs(least[0] + truth(s - lower))) / v);
    ASSERT_LE(most[0], v);
    ASSERT_GE(least[0], -v);
    ASSERT_LE(least[0], 0.0);
    ASSERT_GE(most[0], 0.0);
  }
  EXPECT_LT(worst, 4e-15);
}

TEST(JointLimits, TheInnerBoundsOfTheTanhLawLieInsideIt) {
  test::Random random(4);
  int there = 0;
  double narrowest = 1.0;  // share of the law's bound
  for (int i = 0; i < test::scaled(20000); ++i) {
    const double v = std::exp(test::uniform(random, -3.0, 4.0)),
                 dt = std::exp(test::uniform(random, -9.0, -2.0));
    LimitOptions options;
    options.law = LimitLaw::Tanh;
    options.tanh_gain = std::exp(test::uniform(random, -3.0, 4.0));
    const double upper = test::chance(random, 0.1) ? kInfinity : 1.0;
    const double s = 1.0 - std::pow(10.0, test::uniform(random, -13.0, 0.3));
    const JointLimits limits(one_joint(-1.0, upper, v), options);
    Eigen::VectorXd least(1), most(1), inner_least(1), inner_most(1);
    if (!limits.inner_bounds(&s, dt, inner_least.data(), inner_most.data())) continue;
    ++there;
    limits.velocity_bounds(Eigen::VectorXd::Constant(1, s), dt, least, most);
    ASSERT_LE(inner_most[0], most[0]);
    ASSERT_GE(inner_least[0], least[0]);
    ASSERT_GT(inner_most[0], 0.0);
    ASSERT_LT(inner_least[0], 0.0);
    narrowest = std::min({narrowest, inner_most[0] / most[0], inner_least[0] / least[0]});
  }
  EXPECT_GT(there, test::scaled(20000) / 4);
  EXPECT_GT(narrowest, 0.7599) << "0.76 min(1, x) against tanh(x), which is the smaller";
}

TEST(JointLimits, ThereAreNoInnerBoundsWhereTheLawItselfHasToBeAsked) {
  LimitOptions options;
  options.law = LimitLaw::Tanh;
  options.tanh_gain = 5.0;
  const JointLimits tanh(one_joint(-1.0, 1.0, 10.0), options);
  double lower = 0.0, upper = 0.0;
  const auto there = [&](const JointLimits& limits, double s, double dt) {
    return limits.inner_bounds(&s, dt, &lower, &upper);
  };
  EXPECT_TRUE(there(tanh, 0.0, 0.01));
  EXPECT_FALSE(there(tanh, 1.0, 0.01)) << "at the limit";
  EXPECT_FALSE(there(tanh, -1.1, 0.01)) << "outside";
  EXPECT_FALSE(there(tanh, std::numeric_limits<double>::quiet_NaN(), 0.01));
  EXPECT_FALSE(there(tanh, 0.0, 0.03)) << "beyond 1/(v K_g) the gain is cut";
  for (const LimitLaw law : {LimitLaw::None, LimitLaw::Exact, LimitLaw::Braking}) {
    options.law = law;
    EXPECT_FALSE(there(JointLimits(one_joint(-1.0, 1.0, 10.0), options), 0.0, 0.01));
  }
  options.law = LimitLaw::Tanh;
  EXPECT_FALSE(there(JointLimits(one_joint(-kInfinity, kInfinity, 10.0), options), 0.0, 0.01)) << "no limits";
}

TEST(JointLimits, AskedForOneDistanceAreWhatAJointThereMayDo) {
  test::Random random(6);
  for (int i = 0; i < test::scaled(20000); ++i) {
    LimitOptions options;
    options.law = std::array{LimitLaw::Exact, LimitLaw::Tanh, LimitLaw::Braking}[at(test::pick(random, 3))];
    options.tanh_gain = std::exp(test::uniform(random, -3.0, 4.0));
    options.tanh_discrete_condition = test::chance(random, 0.5);
    const double v = test::chance(random, 0.1) ? kInfinity : std::exp(test::uniform(random, -3.0, 4.0));
    const double dt = std::exp(test::uniform(random, -7.0, -1.0)),
                 distance = test::uniform(random, -1.0, 1.0);
    Eigen::VectorXd lower(1), upper(1);
    JointLimits(one_joint(-kInfinity, 0.0, v), options)
        .velocity_bounds(Eigen::VectorXd::Constant(1, -distance), dt, lower, upper);
    const double asked = speed_towards(distance, v, dt, options);
    // the paired law is accurate to 4e-15 of v
    ASSERT_NEAR(asked, upper[0], std::isfinite(v) ? 4e-15 * v : 1e-15 * std::abs(asked))
        << "law " << static_cast<int>(options.law) << ", distance " << distance;
    EXPECT_EQ(speed_towards(kInfinity, v, dt, options), v) << "there is no limit";
  }
  EXPECT_EQ(speed_towards(0.1, 3.0, 0.01, {.law = LimitLaw::None}), 3.0);
}

// a chain of hinges within [-1, 1]
Model many_joints(int count) {
  ModelSpec spec;
  spec.name = "many";
  spec.links = {{"0"}};
  for (int i = 1; i <= count; ++i) {
    spec.links.push_back({std::to_string(i)});
    Joint joint;
    joint.name = "hinge" + std::to_string(i);
    joint.type = JointType::Revolute;
    joint.parent = std::to_string(i - 1);
    joint.child = std::to_string(i);
    joint.lower = -1.0;
    joint.upper = 1.0;
    joint.velocity = 10.0;
    spec.joints.push_back(joint);
  }
  return Model(spec);
}

TEST(JointLimits, AJointWithoutLimitsHasNoSayInTheStepOfTheOthers) {
  ModelSpec spec;
  spec.name = "two";
  spec.links = {{"0"}, {"1"}, {"2"}};
  for (const bool limited : {true, false}) {
    Joint joint;
    joint.name = limited ? "limited" : "wheel";
    joint.type = JointType::Revolute;
    joint.parent = limited ? "0" : "1";
    joint.child = limited ? "1" : "2";
    joint.lower = limited ? -1.0 : -kInfinity;
    joint.upper = limited ? 1.0 : kInfinity;
    joint.velocity = limited ? 10.0 : 100.0;
    spec.joints.push_back(joint);
  }
  LimitOptions options;
  options.law = LimitLaw::Tanh;
  options.tanh_gain = 5.0;
  const JointLimits limits(Model(spec), options);
  const Eigen::Vector2d s = Eigen::Vector2d::Zero();
  Eigen::Vector2d lower, upper;
  // 1/(v K_g): 20 ms of the joint with limits, 2 ms of the wheel
  EXPECT_TRUE(limits.inner_bounds(s.data(), 0.019, lower.data(), upper.data()));
  EXPECT_FALSE(limits.inner_bounds(s.data(), 0.021, lower.data(), upper.data()));
}

TEST(JointLimits, NarrowABoxToWhatJointsReachInAStep) {
  const JointLimits limits(one_joint(-1.0, 1.0, 2.0), {});
  const auto narrowed = [&](double s, double low, double high) {
    Eigen::VectorXd lower = Eigen::VectorXd::Constant(1, low), upper = Eigen::VectorXd::Constant(1, high);
    limits.narrow(Eigen::VectorXd::Constant(1, s), 0.25, lower, upper);
    return std::pair(lower[0], upper[0]);
  };
  EXPECT_EQ(narrowed(0.25, -1.0, 1.0), std::pair(-0.25, 0.75)) << "2 rad/s for 0.25 s";
  EXPECT_EQ(narrowed(0.25, 0.0, 0.5), std::pair(0.0, 0.5)) << "all of it is in reach";
  EXPECT_EQ(narrowed(2.0, -1.0, 1.0), std::pair(1.5, 1.5)) << "out of reach: the nearest point";
  EXPECT_EQ(narrowed(-2.0, -1.0, 1.0), std::pair(-1.5, -1.5));
}

TEST(JointLimits, NothingBeyondTheJointsIsWritten) {
  constexpr double kUntouched = 123.0;
  for (const double reach : {1.0, kInfinity}) {
    for (const LimitLaw law : {LimitLaw::None, LimitLaw::Exact, LimitLaw::Tanh, LimitLaw::Braking}) {
      LimitOptions options;
      options.law = law;
      const JointLimits limits(one_joint(-reach, reach, 10.0), options);
      for (const double dt : {0.01, 1.0}) {  // the gain 0.5/rad is kept, and cut
        for (const double s : {0.0, 1.5}) {  // inside, and sent back
          std::array<double, 2> lower{kUntouched, kUntouched}, upper = lower;
          limits.velocity_bounds(&s, dt, lower.data(), upper.data());
          EXPECT_EQ(lower[1], kUntouched) << static_cast<int>(law);
          EXPECT_EQ(upper[1], kUntouched) << static_cast<int>(law);
          (void)limits.inner_bounds(&s, dt, lower.data(), upper.data());
          EXPECT_EQ(lower[1], kUntouched) << static_cast<int>(law);
          EXPECT_EQ(upper[1], kUntouched) << static_cast<int>(law);
        }
      }
    }
  }
}

TEST(JointLimits, AJointOutsideChangesNoBitOfItsNeighboursBounds) {
  constexpr int count = 19;
  const Model model = many_joints(count);
  test::Random random(4);
  for (const LimitLaw law : {LimitLaw::Exact, LimitLaw::Tanh, LimitLaw::Braking}) {
    LimitOptions options;
    options.law = law;
    options.tanh_gain = 5.0;
    const JointLimits limits(model, options);
    Eigen::VectorXd s(count), lower(count), upper(count), own_lower(count), own_upper(count);
    for (int i = 0; i < count; ++i) s[i] = test::uniform(random, -1.0, 1.0);
    limits.velocity_bounds(s, 0.01, lower, upper);
    for (int i = 0; i < count; ++i) {
      for (const double outside : {-1.3, -1.0 - 1e-9, 1.0, 1.05, 1e9}) {
        Eigen::VectorXd moved = s;
        moved[i] = outside;
        limits.velocity_bounds(moved, 0.01, own_lower, own_upper);
        const double back = std::clamp(outside > 0.0 ? 1.0 - outside : -1.0 - outside, -0.1, 0.1) * 100.0;
        EXPECT_NEAR(outside > 0.0 ? own_upper[i] : own_lower[i], back, 1e-12) << outside;
        own_lower[i] = lower[i];
        own_upper[i] = upper[i];
        EXPECT_EQ(own_lower, lower);
        EXPECT_EQ(own_upper, upper);
      }
    }
  }
}

TEST(JointLimits, RefuseOptionsOutOfRangeByName) {
  const Model model = one_joint(-1.0, 1.0, 10.0);
  for (const double wrong : {0.0, kInfinity, std::nan("")}) {
    LimitOptions options;
    options.max_deceleration = wrong;
    try {
      const JointLimits limits(model, options);
      ADD_FAILURE() << wrong << " is accepted";
    } catch (const ConfigError& error) {
      EXPECT_NE(std::string(error.what()).find("max_deceleration"), std::string::npos) << error.what();
    }
    options = {};
    options.speed_limit = wrong;
    if (wrong == kInfinity) {
      EXPECT_NO_THROW(JointLimits(model, options)) << "no limit";
    } else {
      EXPECT_THROW(JointLimits(model, options), ConfigError) << wrong;
    }
  }
}

}  // namespace
}  // namespace panto
