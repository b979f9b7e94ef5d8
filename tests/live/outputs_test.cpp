#include "panto/live/outputs.hpp"

#include <gtest/gtest.h>

#include <string>

#include "tests/support/link_model.hpp"

namespace panto::live {
namespace {

// A robot at the other end, on a clock of its own, that is asked every 10 ms.
struct Link {
  Model model = test::chain_model(3);
  Arming arming;
  Time now = 1'000'000'000;
  RobotReceiver robot{
      {"127.0.0.1", 0}, model, rest_state(model), now, {.peer = {}, .key = {}, .armed = true}};
  RobotOutput output{"udp://127.0.0.1:" + std::to_string(robot.port()), model, 100.0, arming};
  LiveFrame frame{rest_state(model), {}, true, 1};

  // `count` references with the joints at 0.5 rad
  void run(int count) {
    frame.state.s.setConstant(0.5);
    for (int k = 0; k < count; ++k) {
      now += 10'000'000;
      frame.state.t += 10'000'000;
      output.write(frame);
      for (int asked = 0; asked < 50; ++asked) robot.poll(now);  // the loopback may take a moment
      robot.step(now);
    }
  }
};

TEST(RobotOutput, LeavesTheRobotWhereItIsUntilItIsArmed) {
  Link link;
  link.run(100);
  EXPECT_GT(link.output.sent(), 90) << "references go out, as invalid ones";
  EXPECT_EQ(link.robot.step(link.now).s.cwiseAbs().maxCoeff(), 0.0);
  EXPECT_NE(link.robot.mode(), FollowMode::Following);
  link.arming.set(true);
  link.run(100);
  EXPECT_EQ(link.robot.mode(), FollowMode::Following);
  EXPECT_NEAR(link.robot.step(link.now).s.minCoeff(), 0.5, 0.02) << "0.5 rad at 4 rad/s takes 0.2 s";
}

TEST(RobotOutput, StopsTheRobotWithinAQuarterSecondOfDisarming) {
  Link link;
  link.arming.set(true);
  link.run(10);
  const double going = link.robot.step(link.now).s[0];
  ASSERT_GT(going, 0.05);
  ASSERT_LT(going, 0.45);
  link.arming.set(false);
  link.run(25);
  const double held = link.robot.step(link.now).s[0];
  link.run(50);
  EXPECT_EQ(link.robot.step(link.now).s[0], held) << "4 rad/s at 50 rad/s^2 stops in 0.08 s";
  EXPECT_LT(held, 0.5);
}

TEST(RobotOutput, LeavesOutWhatWaitedForTheEndOfTheRun) {
  Link link;
  link.arming.set(true);
  link.run(20);
  const auto sent = link.output.sent();
  link.frame.arrival = 0;
  link.run(10);
  EXPECT_EQ(link.output.sent(), sent) << "a robot that holds does not move at Ctrl-C";
}

}  // namespace
}  // namespace panto::live
