#include "panto/stream/unitree_command.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "panto/base/index.hpp"

namespace panto::stream {
namespace {

constexpr int kCount = UnitreeMotion::kJoints;
constexpr Time kTick = 2'000'000;
constexpr double kSpeed = 20.0;  // of the motors

std::vector<std::int64_t> in_order() {
  std::vector<std::int64_t> joints;
  for (int j = 0; j < kCount; ++j) joints.push_back(j);
  return joints;
}

UnitreeMotion::Angles all(double value) {
  UnitreeMotion::Angles angles;
  angles.fill(value);
  return angles;
}

UnitreeLimits limits() {
  UnitreeLimits limits;
  limits.lower.fill(-2.0);
  limits.upper.fill(2.0);
  limits.speed.fill(kSpeed);
  return limits;
}

State state_of(double angle, Time t = 0) {
  State state;
  state.t = t;
  state.s = Eigen::VectorXd::Constant(kCount, angle);
  return state;
}

// A robot that says every tick where it is and goes where it is told, and a motion whose references come at
// 50 Hz.
struct Trial {
  explicit Trial(UnitreePart part) : motion(in_order(), limits(), part) {}
  UnitreeMotion motion;
  Time now = 1'000'000'000;
  UnitreeCommand command;
  UnitreeMotion::Angles q = all(0.2);
  bool sent = false;
  bool robot = true, stuck = false;
  Time ticked = 0;
  double fastest = 0.0;  // [rad/s]

  void pass(double seconds, const State* state = nullptr) {
    const Time end = now + from_seconds(seconds);
    for (int k = 0; now < end; ++k, now += kTick) {
      if (robot) motion.measured(q, 5, now);
      if (state != nullptr && k % 10 == 0) {
        State here = *state;
        here.t = now;
        motion.follow(here, now);
      }
      const UnitreeCommand before = command;
      const bool after_one = sent;
      sent = motion.tick(now, command);
      if (sent && after_one) check_step(before, to_seconds(now - ticked));
      ticked = now;
      if (!sent) command = {};
      for (int j = 0; j < kCount && !stuck; ++j)
        if (command.motor[at(j)].kp > 0.0F) q[at(j)] = angle(j);
    }
  }
  void check_step(const UnitreeCommand& before, double passed) {
    for (int j = 0; j < kCount; ++j) {
      const double most = UnitreeMotion::kMostSpeed * std::min(passed, 0.02) + 1e-5;
      const double step = std::abs(angle(j) - static_cast<double>(before.motor[at(j)].q));
      if (std::abs(angle(j) - q[at(j)]) <= most) continue;  // from where the joint is
      fastest = std::max(fastest, step / passed);
      ASSERT_LE(step, most) << "joint " << j;
    }
  }
  [[nodiscard]] double weight() const { return static_cast<double>(command.motor[29].q); }
  [[nodiscard]] double angle(int j) const { return static_cast<double>(command.motor[at(j)].q); }
};

TEST(UnitreeCrc, IsThatOfUnitreesLibrary) {
  // crc_amd64.so of unitree_sdk2_python on the same messages
  UnitreeCommand command;
  EXPECT_EQ(unitree_crc(command), 0xfe172f9fU);
  command.mode_machine = 5;
  for (std::size_t i = 0; i < command.motor.size(); ++i)
    command.motor[i] = {1, 0.25F * static_cast<float>(i), -0.5F, 2.0F, 60.0F, 1.5F};
  EXPECT_EQ(unitree_crc(command), 0x9a3b02c3U);
}

TEST(UnitreeMotion, SendsNothingWithoutAReferenceAndNothingToARobotThatIsNotThere) {
  Trial run(UnitreePart::Arms);
  run.pass(1.0);
  EXPECT_FALSE(run.sent);
  run.robot = false;
  run.pass(1.0);
  const State state = state_of(0.5);
  run.pass(1.9, &state);
  EXPECT_EQ(run.motion.tripped(), UnitreeMotion::Trip::None) << "it may still be found";
  run.pass(0.2, &state);
  EXPECT_FALSE(run.sent);
  EXPECT_EQ(run.motion.tripped(), UnitreeMotion::Trip::Absent);
  run.robot = true;
  run.pass(1.0, &state);
  EXPECT_FALSE(run.sent) << "a robot that is switched on later is not seized";
  run.motion.release();
  run.pass(0.004, &state);
  EXPECT_TRUE(run.sent);
  EXPECT_NEAR(run.angle(20), 0.2, 0.01) << "it begins where the robot is";
}

TEST(UnitreeMotion, LeadsToTheMotionFasterAndFasterAndThenFollowsIt) {
  Trial run(UnitreePart::All);
  State state = state_of(0.7);
  run.pass(0.1, &state);
  // 0.5 rad/s, and 2 rad/s^2 more
  EXPECT_NEAR(run.angle(0), 0.2 + 0.1 * UnitreeMotion::kLeadSpeed + 0.01 * UnitreeMotion::kLeadGain / 2.0,
              0.005);
  run.pass(1.0, &state);
  EXPECT_NEAR(run.angle(0), 0.7, 1e-6);
  state = state_of(1.0);
  run.pass(0.15, &state);
  EXPECT_NEAR(run.angle(0), 1.0, 1e-6) << "within 8 rad/s now";
  EXPECT_EQ(run.command.mode_machine, 5);
  EXPECT_EQ(run.command.motor[0].mode, 1);
  EXPECT_EQ(run.command.motor[3].kp, 100.0F) << "a knee";
  EXPECT_EQ(run.command.motor[30].mode, 0) << "no motor there";
}

TEST(UnitreeMotion, StaysBetweenWhereTheJointIsAndAMotionThatIsFastAndKeepsItsLimits) {
  Trial run(UnitreePart::All);
  run.q = all(1.9);
  for (int k = 0; k < 400; ++k) {  // 1.5 Hz, 9 rad/s, beyond the upper limit
    const State state = state_of(1.5 + 1.0 * std::sin(0.19 * k));
    run.pass(0.02, &state);
    ASSERT_LE(run.angle(0), 2.0);
    ASSERT_GE(run.angle(0), 0.5 - 1e-6);
  }
  EXPECT_NEAR(run.angle(0), 1.5 + 1.0 * std::sin(0.19 * 399), 0.25) << "reached, one period late";
}

TEST(UnitreeMotion, PlaysABurstAtThePaceAtWhichItWasMeasured) {
  UnitreeMotion motion(in_order(), limits(), UnitreePart::All);
  UnitreeCommand command;
  Time now = 1'000'000'000;
  double before = 0.0, most = 0.0, off = 0.0;
  for (int k = 0; k < 2000; ++k, now += kTick) {  // 0.5 rad/s at 50 Hz, four at a time
    motion.measured(all(std::min(before, 1.9)), 5, now);
    for (int i = 3; k % 40 == 0 && i >= 0; --i) {
      const Time t = now - i * 20'000'000;
      motion.follow(state_of(0.5 * to_seconds(t - 1'000'000'000), t), now);
    }
    ASSERT_TRUE(motion.tick(now, command));
    const double q = static_cast<double>(command.motor[0].q);
    if (k > 500 && k < 1900) {
      most = std::max(most, (q - before) / to_seconds(kTick));
      off = std::max(off, std::abs(q - 0.5 * to_seconds(now - 1'000'000'000)));
    }
    before = q;
  }
  EXPECT_LT(most, 0.8) << "1.5 times as fast where it is late; by arrival it would be 4 rad/s and more";
  EXPECT_LT(off, 0.06) << "0.1 s late";
}

TEST(UnitreeMotion, TakesArmsOverByAndByAndGivesThemBack) {
  Trial run(UnitreePart::Arms);
  const State state = state_of(0.5);
  run.pass(0.01, &state);
  EXPECT_LT(run.weight(), 0.02);
  EXPECT_EQ(run.command.motor[0].mode, 0) << "legs are the robot's own";
  EXPECT_EQ(run.command.motor[0].kp, 0.0F);
  EXPECT_NEAR(run.angle(12), 0.2, 1e-6) << "the waist stays where it is";
  EXPECT_EQ(run.command.motor[12].kp, 60.0F);
  run.pass(2.0, &state);
  EXPECT_EQ(run.weight(), 1.0);
  EXPECT_NEAR(run.angle(15), 0.5, 1e-6);
  EXPECT_NEAR(run.angle(12), 0.2, 1e-6);
  run.motion.stop();
  run.pass(0.5);
  EXPECT_NEAR(run.weight(), 0.5, 0.01);
  EXPECT_NEAR(run.angle(15), 0.5, 1e-6) << "held meanwhile";
  run.pass(0.1, &state);
  EXPECT_NEAR(run.weight(), 0.6, 0.01) << "taken over again from there";
  run.motion.release();
  run.pass(0.59);
  EXPECT_LT(run.weight(), 0.03);
  run.pass(0.1);
  EXPECT_FALSE(run.sent);
}

TEST(UnitreeMotion, HoldsAllJointsWhenStoppedAndLetsThemSinkAtTheEnd) {
  Trial run(UnitreePart::All);
  const State state = state_of(0.3);
  run.pass(1.0, &state);
  run.motion.stop();
  run.pass(5.0);
  EXPECT_TRUE(run.sent);
  EXPECT_NEAR(run.angle(3), 0.3, 1e-6);
  EXPECT_EQ(run.command.motor[3].dq, 0.0F);
  run.motion.end();
  run.pass(0.5);
  EXPECT_TRUE(run.sent);
  EXPECT_EQ(run.command.motor[3].kp, 0.0F);
  EXPECT_EQ(run.command.motor[3].kd, 8.0F);
  EXPECT_FALSE(run.motion.finished());
  run.pass(1.0);
  EXPECT_FALSE(run.sent);
  EXPECT_TRUE(run.motion.finished());
  run.pass(0.2, &state);
  EXPECT_FALSE(run.sent) << "what comes after the end counts for nothing";
}

TEST(UnitreeMotion, ARobotThatFallsSilentIsLetGoBlindlyAndNotSeizedWhenItIsBack) {
  for (const UnitreePart part : {UnitreePart::Arms, UnitreePart::All}) {
    Trial run(part);
    const State state = state_of(0.3);
    run.pass(1.5, &state);
    run.robot = false;
    run.pass(1.0, &state);
    EXPECT_EQ(run.motion.tripped(), UnitreeMotion::Trip::Silent);
    EXPECT_TRUE(run.sent);
    if (part == UnitreePart::Arms)
      EXPECT_NEAR(run.weight(), 0.5, 0.02);
    else
      EXPECT_EQ(run.command.motor[3].kp, 0.0F);
    run.pass(0.6, &state);
    EXPECT_FALSE(run.sent);
    run.robot = true;
    run.q = all(-0.5);
    run.pass(1.0, &state);
    EXPECT_FALSE(run.sent);
    run.motion.release();
    run.pass(0.004, &state);
    EXPECT_TRUE(run.sent);
    EXPECT_NEAR(run.angle(20), -0.5, 0.01) << "from where it is now";
  }
}

TEST(UnitreeMotion, JointsThatDoNotFollowTripAndAreLedFromWhereTheyAreLater) {
  Trial run(UnitreePart::All);
  const State state = state_of(0.3), far = state_of(1.5);
  run.pass(1.5, &state);
  run.stuck = true;  // the emergency stop is pressed
  run.pass(1.5, &far);
  EXPECT_EQ(run.motion.tripped(), UnitreeMotion::Trip::Astray);
  EXPECT_EQ(run.command.motor[3].kp, 0.0F) << "damped";
  run.pass(1.0, &far);
  EXPECT_FALSE(run.sent);
  run.motion.release();
  run.stuck = false;
  run.pass(0.004, &far);
  EXPECT_NEAR(run.angle(3), 0.3, 0.01);
}

TEST(UnitreeMotion, WhereAnotherCommandsAllIsLeftToItAndArmsAreGivenBack) {
  for (const UnitreePart part : {UnitreePart::All, UnitreePart::Arms}) {
    Trial run(part);
    const State state = state_of(0.3);
    run.pass(1.5, &state);
    run.motion.yield();
    run.pass(0.1);
    EXPECT_EQ(run.sent, part == UnitreePart::Arms);
    EXPECT_NEAR(run.weight(), part == UnitreePart::Arms ? 0.9 : 0.0, 0.02);
  }
}

TEST(UnitreeMotion, ArmsThatAreArmedAgainBeginWhereTheRobotIs) {
  Trial run(UnitreePart::All);
  const State state = state_of(0.3);
  run.pass(1.0, &state);
  run.motion.release();
  run.pass(0.1);
  run.q = all(-0.4);  // limp meanwhile
  run.motion.measured(run.q, 5, run.now);
  run.pass(0.002, &state);
  EXPECT_NEAR(run.angle(3), -0.4, 0.01);
}

TEST(UnitreeMotion, LeadsAnewAfterAGap) {
  Trial run(UnitreePart::All);
  const State state = state_of(0.3), far = state_of(1.3);
  run.pass(1.0, &state);
  run.pass(0.2);
  run.pass(0.1, &far);
  EXPECT_NEAR(run.angle(0), 0.36, 0.01);
}

TEST(UnitreeMotion, LeavesOutWhatIsNotFiniteOrNoJointCanBeAndAnotherRobot) {
  Trial run(UnitreePart::All);
  State state = state_of(0.3);
  run.pass(1.0, &state);
  state.s[7] = std::numeric_limits<double>::quiet_NaN();
  for (const double bad :
       {std::numeric_limits<double>::infinity(), 1e6, -2.6, std::numeric_limits<double>::quiet_NaN()})
    run.motion.measured(all(bad), 5, run.now);
  run.motion.measured(all(-1.0), 9, run.now);
  run.pass(0.09, &state);
  for (int j = 0; j < kCount; ++j) EXPECT_NEAR(run.angle(j), 0.3, 1e-6);
  EXPECT_EQ(run.command.mode_machine, 5);
}

TEST(UnitreeMotion, NeverStepsFasterThanItsSpeedNorLeavesItsLimitsWhateverComes) {
  std::mt19937 random(7);
  const auto draw = [&](double low, double high) {
    return low + (high - low) * static_cast<double>(random()) / 4294967295.0;
  };
  for (const UnitreePart part : {UnitreePart::Arms, UnitreePart::All}) {
    Trial run(part);
    for (int k = 0; k < 600; ++k) {
      run.robot = random() % 10 != 0;
      run.stuck = random() % 8 == 0;
      const State state = state_of(draw(-3.0, 3.0));
      if (random() % 7 == 0) run.motion.stop();
      if (random() % 9 == 0) run.motion.release();
      // `check_step`
      run.pass(draw(0.0, 0.3), random() % 4 != 0 ? &state : nullptr);
      if (testing::Test::HasFatalFailure()) return;
      for (int j = 0; j < kCount; ++j) ASSERT_LE(std::abs(run.angle(j)), 2.0 + 1e-6);
      if (random() % 5 == 0) run.now += from_seconds(draw(0.0, 0.05));
    }
  }
}

}  // namespace
}  // namespace panto::stream
