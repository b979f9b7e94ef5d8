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
constexpr double kSpeed = 10.0;

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

State state_of(double angle) {
  State state;
  state.s = Eigen::VectorXd::Constant(kCount, angle);
  return state;
}

// A robot that says every tick where it is, and a motion whose references come at 50 Hz.
struct Trial {
  explicit Trial(UnitreePart part) : motion(in_order(), all(kSpeed), part) {}
  UnitreeMotion motion;
  Time now = 1'000'000'000;
  UnitreeCommand command;
  bool sent = false;
  bool robot = true;
  Time ticked = 0;

  void pass(double seconds, const State* state = nullptr) {
    const Time end = now + from_seconds(seconds);
    for (int k = 0; now < end; ++k, now += kTick) {
      if (robot) motion.measured(all(0.2), 5, now);
      if (state != nullptr && k % 10 == 0) motion.follow(*state, now);
      const UnitreeCommand before = command;
      const bool after_one = sent;
      sent = motion.tick(now, command);
      if (sent && after_one) check_step(before, to_seconds(now - ticked));
      ticked = now;
      if (!sent) command = {};
    }
  }
  void check_step(const UnitreeCommand& before, double passed) const {
    for (int j = 0; j < kCount; ++j) {
      const double step =
          std::abs(static_cast<double>(command.motor[at(j)].q) - static_cast<double>(before.motor[at(j)].q));
      ASSERT_LE(step, kSpeed * std::min(passed, 0.02) + 1e-6) << "joint " << j;
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

TEST(UnitreeMotion, SendsNothingBeforeTheRobotHasSaidWhereItIs) {
  Trial run(UnitreePart::All);
  run.robot = false;
  const State state = state_of(0.5);
  run.pass(1.0, &state);
  EXPECT_FALSE(run.sent);
  run.robot = true;
  run.pass(0.002, &state);
  EXPECT_TRUE(run.sent);
  EXPECT_NEAR(run.angle(3), 0.2, 1e-6) << "it begins where the robot is";
}

TEST(UnitreeMotion, SendsNothingWithoutAReference) {
  Trial run(UnitreePart::Arms);
  run.pass(1.0);
  EXPECT_FALSE(run.sent);
}

TEST(UnitreeMotion, LeadsSlowlyToTheMotionAndThenFollowsIt) {
  Trial run(UnitreePart::All);
  State state = state_of(0.7);
  run.pass(0.5, &state);
  EXPECT_NEAR(run.angle(0), 0.2 + 0.5 * UnitreeMotion::kLeadSpeed, 0.005);
  EXPECT_NEAR(static_cast<double>(run.command.motor[0].dq), UnitreeMotion::kLeadSpeed, 1e-3);
  run.pass(1.0, &state);
  EXPECT_NEAR(run.angle(0), 0.7, 1e-6) << "0.5 rad at 0.5 rad/s";
  state = state_of(1.0);
  run.pass(0.1, &state);
  EXPECT_NEAR(run.angle(0), 1.0, 1e-6) << "within the joint's own speed now";
  EXPECT_EQ(run.command.mode_machine, 5);
  EXPECT_EQ(run.command.motor[0].mode, 1);
  EXPECT_EQ(run.command.motor[3].kp, 100.0F) << "a knee";
  EXPECT_EQ(run.command.motor[30].mode, 0) << "no motor there";
}

TEST(UnitreeMotion, InterpolatesBetweenReferences) {
  UnitreeMotion motion(in_order(), all(kSpeed), UnitreePart::All);
  UnitreeCommand command;
  Time now = 0;
  double before = 0.0, most = 0.0, least = kInfinity;
  for (int k = 0; k < 1000; ++k, now += kTick) {  // 1 rad/s at 50 Hz, ticks at 500 Hz
    motion.measured(all(0.0), 5, now);
    if (k % 10 == 0) motion.follow(state_of(to_seconds(now)), now);
    ASSERT_TRUE(motion.tick(now, command));
    const double q = static_cast<double>(command.motor[0].q);
    if (k > 800) most = std::max(most, q - before), least = std::min(least, q - before);
    before = q;
  }
  // without it the steps would be 0 and 0.02
  EXPECT_NEAR(most, 0.002, 2e-4);
  EXPECT_NEAR(least, 0.002, 2e-4);
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
  run.pass(0.49);
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

TEST(UnitreeMotion, LeadsAnewAfterAStopAGapAndASilentRobot) {
  for (const char* what : {"stop", "gap", "silence"}) {
    Trial run(UnitreePart::All);
    const State state = state_of(0.3), far = state_of(1.3);
    run.pass(1.0, &state);
    if (what == std::string("stop")) run.motion.stop();
    if (what == std::string("silence")) run.robot = false;
    run.pass(0.6, what == std::string("silence") ? &far : nullptr);
    EXPECT_EQ(run.sent, what != std::string("silence"));
    run.robot = true;
    run.pass(0.2, &far);
    const double begin = what == std::string("silence") ? 0.2 : 0.3;
    EXPECT_NEAR(run.angle(0), begin + 0.2 * UnitreeMotion::kLeadSpeed, 0.005) << what;
  }
}

TEST(UnitreeMotion, LeavesOutWhatIsNotFinite) {
  Trial run(UnitreePart::All);
  State state = state_of(0.3);
  run.pass(1.0, &state);
  state.s[7] = std::numeric_limits<double>::quiet_NaN();
  run.motion.measured(all(std::numeric_limits<double>::infinity()), 5, run.now);
  run.pass(0.1, &state);
  for (int j = 0; j < kCount; ++j) EXPECT_NEAR(run.angle(j), 0.3, 1e-6);
}

TEST(UnitreeMotion, NeverStepsFasterThanItsSpeedWhateverComes) {
  std::mt19937 random(7);
  const auto draw = [&](double low, double high) {
    return low + (high - low) * static_cast<double>(random()) / 4294967295.0;
  };
  for (const UnitreePart part : {UnitreePart::Arms, UnitreePart::All}) {
    Trial run(part);
    for (int k = 0; k < 400; ++k) {
      run.robot = random() % 10 != 0;
      const State state = state_of(draw(-3.0, 3.0));
      if (random() % 7 == 0) run.motion.stop();
      run.pass(draw(0.0, 0.3), random() % 4 != 0 ? &state : nullptr);  // `check_step`
      if (HasFatalFailure()) return;
      if (random() % 5 == 0) run.now += from_seconds(draw(0.0, 0.2));
    }
  }
}

}  // namespace
}  // namespace panto::stream
