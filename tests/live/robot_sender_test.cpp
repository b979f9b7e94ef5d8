// Sender and receiver over the loop-back interface. Local time is data, the kernel hands a datagram over
// before `send` returns, and what is waited for has a time-out far above what it takes: nothing here depends
// on how fast the machine is.

#include "panto/live/robot.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <string>

#include "apps/support/allocation_count.hpp"
#include "panto/base/error.hpp"
#include "panto/live/link_receiver.hpp"
#include "panto/live/pacer.hpp"
#include "panto/live/udp_socket.hpp"
#include "tests/support/link_model.hpp"
#include "tests/support/random_model.hpp"

namespace {

using namespace panto::live;
using panto::Model;
using panto::State;
using panto::Time;
using panto::WriteStatus;
using panto::test::chain_model;

constexpr Time kMs = 1'000'000;

State sine(const Model& model, Time t) {
  State state = rest_state(model);
  state.t = t;
  state.s.setConstant(0.5 * std::sin(panto::to_seconds(t)));
  state.sdot.setConstant(0.5 * std::cos(panto::to_seconds(t)));
  return state;
}

// any free port of this machine alone; follows whoever comes
RobotReceiver receiver_for(const Model& model) {
  return {{"127.0.0.1", 0}, model, rest_state(model), 0, {.peer = {}, .key = {}, .armed = true}};
}

std::string address_of(const RobotReceiver& robot) {
  return "udp://127.0.0.1:" + std::to_string(robot.port());
}

std::unique_ptr<RobotLink> sender_to(const RobotReceiver& robot, const Model& model) {
  return open_robot_link(address_of(robot), model, 50.0);
}

// the robot's welcome to the first hello: what is written from here on is taken
void greet(RobotLink& sender, RobotReceiver& robot, const Model& model, Time t = -20 * kMs, Time now = 0) {
  (void)sender.write(sine(model, t));
  robot.poll(now);
}

TEST(RobotLinkLoop, BringsReferencesThereAndMeasuredStatesBack) {
  const Model model = chain_model(29);
  RobotReceiver robot = receiver_for(model);
  const auto sender = sender_to(robot, model);
  greet(*sender, robot, model);
  State measured = rest_state(model);
  int back = 0;
  for (Time t = 0; t <= 4000 * kMs; t += 20 * kMs) {
    ASSERT_EQ(sender->write(sine(model, t)), WriteStatus::Written);
    robot.poll(t);
    EXPECT_EQ(robot.link().state().t, t);
    EXPECT_EQ(robot.link().state().s, sine(model, t).s);
    const State& followed = robot.step(t);
    EXPECT_EQ(robot.send_measured(followed),
              t > 0 || robot.valid() ? WriteStatus::Written : WriteStatus::Dropped);
    while (sender->read_measured(measured)) {
      ++back;
      EXPECT_EQ(measured.s, followed.s);
      EXPECT_EQ(measured.t, t) << "the stamp of the reference that it answers";
    }
  }
  EXPECT_GE(back, 200);
  EXPECT_EQ(sender->sent(), 1 + 201) << "with that before the welcome";
  EXPECT_EQ(robot.link().counts().states, 201);
  EXPECT_EQ(robot.link().counts().lost, 0);
  EXPECT_EQ(robot.link().counts().of(PacketFault::None), 2 + 201 + 5)
      << "a hello and a reference before the welcome, a hello after it, and at 1, 2, 3 and 4 s";
  EXPECT_LT((robot.step(4000 * kMs).s - sine(model, 4000 * kMs).s).cwiseAbs().maxCoeff(), 1e-3);
}

TEST(RobotLinkLoop, LetsARobotInThatStartsLate) {
  const Model model = chain_model(3);
  RobotReceiver robot = receiver_for(model);
  const std::uint16_t port = robot.port();
  const auto sender = open_robot_link("udp://127.0.0.1:" + std::to_string(port), model, 50.0);
  { RobotReceiver gone = std::move(robot); }
  // nobody listens: the system says so now and then, and nothing waits or fails
  for (Time t = 0; t < 500 * kMs; t += 20 * kMs) (void)sender->write(sine(model, t));
  EXPECT_EQ(sender->sent() + sender->dropped(), 25);
  EXPECT_GT(sender->dropped(), 12) << "half of them at least: the system reports some with the next";
  RobotReceiver late({"127.0.0.1", port}, model, rest_state(model), 0,
                     {.peer = {}, .key = {}, .armed = true});
  int states = 0;
  for (Time t = 500 * kMs; t < 1500 * kMs; t += 20 * kMs) {
    (void)sender->write(sine(model, t));
    late.poll(t);
    states = static_cast<int>(late.link().counts().states);
  }
  EXPECT_EQ(states, 24) << "from the welcome to the hello of the first second on";
}

TEST(RobotLinkLoop, StopsTheRobotAtBye) {
  const Model model = chain_model(3);
  RobotReceiver robot = receiver_for(model);
  auto sender = sender_to(robot, model);
  Time t = 0;
  for (; t < 400 * kMs; t += 20 * kMs) {
    (void)sender->write(sine(model, t));
    robot.poll(t);
    robot.step(t);
  }
  EXPECT_EQ(robot.mode(), FollowMode::Following);
  sender->close();
  EXPECT_EQ(sender->write(sine(model, t)), WriteStatus::Dropped) << "after bye nothing";
  robot.poll(t);
  EXPECT_EQ(robot.mode(), FollowMode::Stopping);
  EXPECT_EQ(robot.send_measured(rest_state(model)), WriteStatus::Dropped) << "nobody to answer";
  robot.step(t + 100 * kMs);
  EXPECT_EQ(robot.mode(), FollowMode::Holding);
  // another one may begin at once, even while the old sender lives
  const auto next = sender_to(robot, model);
  greet(*next, robot, model, -20 * kMs, t + 101 * kMs);
  (void)next->write(sine(model, 0));
  robot.poll(t + 102 * kMs);
  EXPECT_EQ(robot.mode(), FollowMode::Following);
}

TEST(RobotLinkLoop, ShieldsALiveSessionFromASecondSender) {
  const Model model = chain_model(3);
  RobotReceiver robot = receiver_for(model);
  const auto first = sender_to(robot, model), second = sender_to(robot, model);
  greet(*first, robot, model);
  for (Time t = 0; t < 400 * kMs; t += 20 * kMs) {
    (void)first->write(sine(model, t));
    State other = sine(model, t);
    other.s.setConstant(-1.0);
    (void)second->write(other);
    robot.poll(t);
    EXPECT_EQ(robot.link().state().s, sine(model, t).s);
  }
  EXPECT_GT(robot.link().counts().of(Admission::OtherSession), 10);
}

TEST(RobotLinkLoop, HoldsWhileNobodyVouchesForWhatIsSent) {
  const Model model = chain_model(3);
  RobotReceiver robot = receiver_for(model);
  const auto sender = sender_to(robot, model);
  greet(*sender, robot, model);
  (void)sender->write(sine(model, 0));
  sender->set_valid(false);
  (void)sender->write(sine(model, 20 * kMs));
  robot.poll(20 * kMs);
  EXPECT_EQ(robot.mode(), FollowMode::Stopping);
  sender->set_valid(true);
  (void)sender->write(sine(model, 40 * kMs));
  robot.poll(40 * kMs);
  EXPECT_EQ(robot.mode(), FollowMode::Following);
}

TEST(RobotLinkLoop, DropsAndCountsWhatIsNoReference) {
  const Model model = chain_model(3);
  RobotReceiver robot = receiver_for(model);
  const auto sender = sender_to(robot, model);
  greet(*sender, robot, model);
  EXPECT_EQ(sender->write(sine(model, 20 * kMs)), WriteStatus::Written);
  EXPECT_EQ(sender->write(sine(model, 20 * kMs)), WriteStatus::Dropped) << "not newer";
  State bad = sine(model, 40 * kMs);
  bad.s[1] = std::nan("");
  EXPECT_EQ(sender->write(bad), WriteStatus::Dropped);
  EXPECT_EQ(sender->write(sine(chain_model(4), 40 * kMs)), WriteStatus::Dropped) << "of another model";
  EXPECT_EQ(sender->dropped(), 3);
  robot.poll(0);
  EXPECT_EQ(robot.link().counts().states, 1);
}

TEST(RobotLinkLoop, StandsJunkOnItsPort) {
  const Model model = chain_model(3);
  RobotReceiver robot = receiver_for(model);
  const auto sender = sender_to(robot, model);
  greet(*sender, robot, model);
  UdpSocket junk = UdpSocket::connected_to({"127.0.0.1", robot.port()});
  std::vector<std::byte> bytes(65507, std::byte{0x50});
  for (Time t = 0; t < 200 * kMs; t += 20 * kMs) {
    junk.send({});
    junk.send(bytes);
    junk.send(std::span<const std::byte>(bytes).first(100));
    (void)sender->write(sine(model, t));
    robot.poll(t);
    EXPECT_EQ(robot.link().state().t, t);
  }
  EXPECT_EQ(robot.link().counts().of(PacketFault::Length), 20);
  EXPECT_EQ(robot.link().counts().of(PacketFault::Magic), 10);
}

TEST(RobotLinkLoop, SaysWhatItCannotDo) {
  const Model model = chain_model(3);
  EXPECT_THROW((void)open_robot_link("udp://127.0.0.1", model, 50.0), panto::ConfigError);
  EXPECT_THROW((void)open_robot_link("udp://127.0.0.1:7000", model, 10.0), panto::ConfigError);
  EXPECT_THROW((void)open_robot_link("udp://127.0.0.1:7000", model, 2000.0), panto::ConfigError);
  EXPECT_THROW((void)open_robot_link("udp://127.0.0.1:7000", model, std::nan("")), panto::ConfigError);
  EXPECT_THROW((void)open_robot_link("udp://127.0.0.1:7000", chain_model(83), 50.0), panto::ConfigError);
  EXPECT_THROW((void)open_robot_link("udp://256.1.1.1:7000", model, 50.0), panto::Error) << "no such host";
  const RobotReceiver robot = receiver_for(model);
  try {
    const RobotReceiver second({"127.0.0.1", robot.port()}, model, rest_state(model), 0);
    FAIL() << "two on one port";
  } catch (const panto::Error& error) {
    EXPECT_NE(std::string(error.what()).find("cannot listen at this address"), std::string::npos)
        << error.what();
  }
}

TEST(RobotLinkLoop, AllocatesNothing) {
  if (!panto::AllocationCount::available()) GTEST_SKIP() << "the sanitizer owns malloc";
  const Model model = chain_model(29);
  RobotReceiver robot = receiver_for(model);
  const auto sender = sender_to(robot, model);
  State measured = rest_state(model), state = sine(model, 0);
  const panto::AllocationCount count;
  for (Time t = 0; t < 2000 * kMs; t += 20 * kMs) {
    state.t = t;
    (void)sender->write(state);
    robot.poll(t);
    (void)robot.send_measured(robot.step(t));
    (void)sender->read_measured(measured);
  }
  EXPECT_EQ(count.value(), 0);
}

}  // namespace
