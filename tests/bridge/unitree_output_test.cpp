#include "panto/bridge/unitree_output.hpp"

#include <gtest/gtest.h>

#ifdef PANTO_DDS
#include <dds/dds.h>
#include <unitree_messages.h>
#endif

#include <array>
#include <atomic>
#include <chrono>
#include <mutex>
#include <random>
#include <thread>

#include "panto/base/error.hpp"
#include "panto/bridge/dds_address.hpp"
#include "panto/bridge/g1_joints.hpp"
#include "panto/io/open_model.hpp"
#include "panto/live/pacer.hpp"
#include "tests/support/link_model.hpp"

namespace panto::bridge {
namespace {

using stream::UnitreePart;

std::string refusal(const live::StreamAddress& to) {
  try {
    (void)check_controller(to);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "";
}

TEST(UnitreeAddress, IsAnAddressOfThisComputerAndADomain) {
  EXPECT_EQ(refusal({"unitree-arms", {"127.0.0.1", 1}, {}}), "");
  EXPECT_NE(refusal({"unitree-all", {"192.0.2.161", 0}, {}})
                .find("192.0.2.161 is no address of this computer: give its own in the robot's network"),
            std::string::npos);
  EXPECT_NE(
      refusal({"unitree-all", {"robot", 0}, {}}).find("unitree-all://robot: the host must be 127.0.0.1"),
      std::string::npos);
  EXPECT_NE(refusal({"unitree-arms", {"127.0.0.1", 300}, {}}).find("'300' is not a number from 0 to 232"),
            std::string::npos);
}

#ifdef PANTO_DDS

using namespace std::chrono_literals;
using Command = unitree_hg_msg_dds__LowCmd_;

// Tests that run at the same time must not meet.
std::uint16_t any_domain() { return static_cast<std::uint16_t>(101 + std::random_device{}() % 100); }

// A robot in this process that says where it is, and keeps the last command.
class FakeRobot {
 public:
  FakeRobot(std::uint16_t domain, const char* topic) {
    participant_ = dds_create_participant(domain, nullptr, nullptr);
    const auto about = [&](const dds_topic_descriptor_t& type, const char* name) {
      return dds_create_topic(participant_, &type, name, nullptr, nullptr);
    };
    writer_ = dds_create_writer(participant_, about(unitree_hg_msg_dds__LowState__desc, "rt/lowstate"),
                                nullptr, nullptr);
    reader_ =
        dds_create_reader(participant_, about(unitree_hg_msg_dds__LowCmd__desc, topic), nullptr, nullptr);
    EXPECT_TRUE(writer_ > 0 && reader_ > 0);
    thread_ = std::thread([this] { run(); });
  }
  ~FakeRobot() {
    over_ = true;
    thread_.join();
    dds_delete(participant_);
  }
  FakeRobot(const FakeRobot&) = delete;
  FakeRobot& operator=(const FakeRobot&) = delete;

  std::atomic<bool> stuck = false;
  [[nodiscard]] int commands() const { return commands_; }
  [[nodiscard]] Command last() const {
    const std::lock_guard lock(mutex_);
    return last_;
  }

  static std::array<float, 29> at_rest() {
    std::array<float, 29> q;
    q.fill(0.1F);
    return q;
  }

 private:
  void run() {
    unitree_hg_msg_dds__LowState_ state = {};
    state.mode_machine = 5;
    while (!over_) {
      for (int j = 0; j < 29; ++j) state.motor_state[j].q = q_[static_cast<std::size_t>(j)];
      dds_write(writer_, &state);
      Command command;
      void* sample = &command;
      dds_sample_info_t info;
      while (dds_take(reader_, &sample, &info, 1, 1) == 1) {
        if (!info.valid_data) continue;
        const std::lock_guard lock(mutex_);
        last_ = command;
        ++commands_;
        for (std::size_t j = 0; j < q_.size() && !stuck; ++j)
          if (command.motor_cmd[j].kp > 0.0F) q_[j] = command.motor_cmd[j].q;
      }
      std::this_thread::sleep_for(2ms);
    }
  }

  dds_entity_t participant_ = 0, writer_ = 0, reader_ = 0;
  mutable std::mutex mutex_;
  Command last_ = {};
  std::array<float, 29> q_ = at_rest();
  std::atomic<int> commands_ = 0;
  std::atomic<bool> over_ = false;
  std::thread thread_;
};

struct Played {
  explicit Played(UnitreePart part)
      : output({"127.0.0.1", domain}, part, g1, arming),
        robot(domain, part == UnitreePart::Arms ? "rt/arm_sdk" : "rt/lowcmd") {}
  std::uint16_t domain = any_domain();
  Model g1 = io::open_robot("unitree_g1").model;
  live::Arming arming;
  UnitreeOutput output;
  FakeRobot robot;
  LiveFrame frame{rest_state(g1), {}, true, live::monotonic_now()};

  // writes frames at 100 Hz until `is` is true, at most 5 s
  template <typename Is>
  bool play(const Is& is) {
    bool done = is();
    for (int k = 0; k < 500 && !done; ++k) {
      frame.state.t = frame.arrival = live::monotonic_now();
      output.write(frame);
      std::this_thread::sleep_for(10ms);
      done = is();
    }
    return done;
  }
};

TEST(UnitreeOutput, DrivesTheArmsOnceArmedAndGivesThemBack) {
  Played run(UnitreePart::Arms);
  const std::int64_t elbow = g1_motor_joints(run.g1, "test")[18];
  run.frame.state.s[elbow] = 0.35;
  const auto untouched = std::chrono::steady_clock::now() + 500ms;
  ASSERT_TRUE(run.play([&] { return std::chrono::steady_clock::now() > untouched; }));
  EXPECT_EQ(run.robot.commands(), 0) << "nothing before it is armed";
  run.arming.set(true);
  ASSERT_TRUE(run.play([&] { return run.robot.last().motor_cmd[29].q == 1.0F; }));
  ASSERT_TRUE(run.play([&] { return std::abs(run.robot.last().motor_cmd[18].q - 0.35F) < 1e-4F; }));
  const Command command = run.robot.last();
  EXPECT_EQ(command.mode_machine, 5);
  EXPECT_EQ(command.motor_cmd[0].kp, 0.0F);
  EXPECT_EQ(command.motor_cmd[12].q, 0.1F) << "the waist stays where the robot has it";
  stream::UnitreeCommand same;
  same.mode_machine = 5;
  for (std::size_t i = 0; i < same.motor.size(); ++i) {
    const auto& m = command.motor_cmd[i];
    same.motor[i] = {m.mode, m.q, m.dq, m.tau, m.kp, m.kd};
  }
  EXPECT_EQ(command.crc, stream::unitree_crc(same));
  EXPECT_GT(run.output.sent(), 0);
  run.output.close();
  std::this_thread::sleep_for(100ms);
  EXPECT_EQ(run.robot.last().motor_cmd[29].q, 0.0F);
}

TEST(UnitreeOutput, HoldsAllJointsWhenTheStreamIsLostAndLetsThemSinkAtTheEnd) {
  Played run(UnitreePart::All);
  run.frame.state.s.setZero();
  run.arming.set(true);
  ASSERT_TRUE(run.play([&] { return run.robot.commands() > 0 && run.robot.last().motor_cmd[3].q < 0.05F; }));
  run.output.wait(true);
  std::this_thread::sleep_for(50ms);
  const float held = run.robot.last().motor_cmd[3].q;
  const int before = run.robot.commands();
  std::this_thread::sleep_for(300ms);
  EXPECT_GT(run.robot.commands(), before) << "the motors need commands to stay";
  EXPECT_EQ(run.robot.last().motor_cmd[3].q, held);
  EXPECT_EQ(run.robot.last().motor_cmd[3].kp, 100.0F);
  run.output.close();
  std::this_thread::sleep_for(100ms);
  EXPECT_EQ(run.robot.last().motor_cmd[3].kp, 0.0F);
  EXPECT_EQ(run.robot.last().motor_cmd[3].kd, 8.0F);
  const int after = run.robot.commands();
  std::this_thread::sleep_for(100ms);
  EXPECT_EQ(run.robot.commands(), after);
}

TEST(UnitreeOutput, SaysOnceWhyTheRobotIsMovedNoMore) {
  Played run(UnitreePart::Arms);
  const std::int64_t elbow = g1_motor_joints(run.g1, "test")[18];
  run.frame.state.s[elbow] = 1.5;
  run.robot.stuck = true;
  run.arming.set(true);
  std::string why;
  ASSERT_TRUE(run.play([&] { return !(why = run.output.refusal()).empty(); }));
  EXPECT_NE(why.find("not where they should be"), std::string::npos) << "'" << why << "'";
  EXPECT_EQ(run.output.refusal(), "");
}

TEST(UnitreeOutput, DoesNotMoveARobotThatAnotherProgramCommands) {
  Played first(UnitreePart::All);
  const dds_entity_t participant = dds_create_participant(first.domain, nullptr, nullptr);
  const dds_entity_t topic =
      dds_create_topic(participant, &unitree_hg_msg_dds__LowCmd__desc, "rt/lowcmd", nullptr, nullptr);
  const dds_entity_t rival = dds_create_writer(participant, topic, nullptr, nullptr);
  ASSERT_GT(rival, 0);
  first.arming.set(true);
  std::string why;
  ASSERT_TRUE(first.play([&] { return !(why = first.output.refusal()).empty(); }));
  EXPECT_NE(why.find("another program sends rt/lowcmd"), std::string::npos) << why;
  first.arming.set(false);
  const int before = first.robot.commands();
  dds_delete(rival);
  first.arming.set(true);
  EXPECT_TRUE(first.play([&] { return first.robot.commands() > before + 10; })) << "it is gone";
  dds_delete(participant);
}

TEST(UnitreeOutput, CountsFramesAsDroppedWhereNoRobotSpeaks) {
  live::Arming arming(true);
  const Model g1 = io::open_robot("unitree_g1").model;
  UnitreeOutput output({"127.0.0.1", any_domain()}, UnitreePart::All, g1, arming);
  LiveFrame frame{rest_state(g1), {}, true, live::monotonic_now()};
  for (int k = 0; k < 5; ++k) output.write(frame);
  EXPECT_EQ(output.sent(), 0);
  EXPECT_EQ(output.dropped(), 5);
  EXPECT_EQ(output.refusal(), "") << "it may still be found";
  const auto begin = std::chrono::steady_clock::now();
  output.close();
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 500ms) << "there is nothing to give back";
}

TEST(UnitreeOutput, OfAnotherRobotIsRefused) {
  live::Arming arming;
  const Model chain = test::chain_model(3);
  EXPECT_THROW(UnitreeOutput({"127.0.0.1", any_domain()}, UnitreePart::All, chain, arming), ConfigError);
}

#endif

}  // namespace
}  // namespace panto::bridge
