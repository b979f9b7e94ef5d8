#include "panto/bridge/takes.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "panto/io/open_imu.hpp"
#include "panto/live/pacer.hpp"
#include "panto/model/human.hpp"

namespace panto::bridge {
namespace {

class RunTakes : public ::testing::Test {
 protected:
  RunTakes()
      : folder(std::filesystem::temp_directory_path() / ("panto_takes_" + std::to_string(::getpid()))) {
    std::filesystem::create_directories(folder);
  }
  ~RunTakes() override { std::filesystem::remove_all(folder); }
  [[nodiscard]] std::string path(const std::string& name) const { return (folder / name).string(); }
  [[nodiscard]] StreamRecording read(const std::string& name) const {
    std::stringstream bytes;
    bytes << std::ifstream(path(name), std::ios::binary).rdbuf();
    return io::read_stream_recording(bytes.str(), name);
  }
  static void send(Takes& takes, const std::string& text) {
    takes.tap()(std::as_bytes(std::span(text)), 7, live::monotonic_now());
  }
  [[nodiscard]] static std::vector<std::string> datagrams(const StreamRecording& take) {
    std::vector<std::string> all;
    for (const auto& one : take.datagrams) all.push_back(one.bytes);
    return all;
  }
  const std::filesystem::path folder;
  const TakeInfo info{"mvn", "mvn://", {{"robot", "g1"}}};
};

TEST_F(RunTakes, FollowOneAnotherAndEachBeginsWithWhatTellsNamesAndSizes) {
  Takes takes(info, path("take.mcap"));
  const live::LiveEvents events = takes.events();
  EXPECT_EQ(takes.path(), path("take.mcap"));
  send(takes, "names");
  send(takes, "sizes");
  events.solved(1, live::monotonic_now());
  send(takes, "pose 1");
  EXPECT_EQ(takes.toggle(live::monotonic_now()), "recorded " + path("take.mcap"));
  EXPECT_EQ(takes.path(), "");
  send(takes, "pose 2");
  EXPECT_EQ(takes.toggle(live::monotonic_now()), "recording to " + path("take-2.mcap"));
  events.calibrated(3, live::monotonic_now(), "npose");
  events.aligned(3, live::monotonic_now());
  events.solved(3, live::monotonic_now());
  send(takes, "pose 3");
  takes.mark("mark 1", live::monotonic_now());
  EXPECT_TRUE(takes.close().empty());
  EXPECT_TRUE(takes.close().empty()) << "nothing is left to close";
  EXPECT_EQ(takes.written(), (std::vector<std::string>{path("take.mcap"), path("take-2.mcap")}));
  EXPECT_EQ(datagrams(read("take.mcap")), (std::vector<std::string>{"names", "sizes", "pose 1"}));
  EXPECT_FALSE(read("take.mcap").info.words.contains("begun"));
  const StreamRecording second = read("take-2.mcap");
  EXPECT_EQ(datagrams(second), (std::vector<std::string>{"names", "sizes", "pose 3"}));
  EXPECT_EQ(second.datagrams[0].sender, 7U);
  EXPECT_EQ(second.info.words.at("begun"), "in the middle of a run");
  ASSERT_EQ(second.solved.size(), 1U);
  EXPECT_EQ(second.solved[0].t, 3);
  EXPECT_EQ(second.aligned.size(), 1U);
  EXPECT_LT(second.datagrams[1].arrival, second.first()) << "those of the beginning keep their time";
  EXPECT_EQ(second.calibrated.size(), 1U);
  EXPECT_EQ(second.marks.size(), 1U);
  EXPECT_TRUE(second.complete);
}

TEST_F(RunTakes, KeepTheMountsThatTheRunHadFound) {
  Takes takes(info, "");
  SensorSetup sensors;
  sensors.setup.mounts = {{"hip", "Pelvis", Eigen::Matrix3d::Identity(), Eigen::Vector3d(0.0, 0.1, 0.0)}};
  takes.events().mounted(sensors);
  const std::string said = takes.toggle(live::monotonic_now());
  const std::string name = said.substr(said.rfind(' ') + 1);
  EXPECT_TRUE(takes.close().empty());
  std::stringstream bytes;
  bytes << std::ifstream(name, std::ios::binary).rdbuf();
  std::filesystem::remove(name);
  const StreamRecording take = io::read_stream_recording(bytes.str(), name);
  const SensorSetup read = io::read_sensors(take.sensors, "the recording");
  ASSERT_EQ(read.setup.mounts.size(), 1U);
  EXPECT_NEAR(read.setup.mounts[0].p_LI.y(), 0.1, 1e-12);
}

TEST_F(RunTakes, AreRemovedWhereTheRunDidNotBegin) {
  {
    Takes takes(info, path("take.mcap"));
    send(takes, "names");
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder)) << "the next run is not in its own way";
  {
    Takes takes(info, path("take.mcap"));
    takes.events().solved(1, live::monotonic_now());
  }
  EXPECT_TRUE(std::filesystem::exists(path("take.mcap.part"))) << "as after a crash";
}

TEST_F(RunTakes, NeverWriteOverAFile) {
  std::ofstream(path("take-2.mcap")) << "mine";
  Takes takes(info, path("take.mcap"));
  EXPECT_TRUE(takes.close().empty());
  EXPECT_EQ(takes.toggle(0), "recording to " + path("take-3.mcap"));
}

TEST_F(RunTakes, SayWhyNothingIsRecorded) {
  Takes takes(info, path("take.mcap"));
  EXPECT_TRUE(takes.close().empty());
  std::filesystem::remove_all(folder);
  const std::string said = takes.toggle(0);
  EXPECT_EQ(said.rfind("no recording: ", 0), 0U) << said;
  EXPECT_EQ(takes.path(), "");
}

TEST_F(RunTakes, KeepStatesWhileTheyAreWritten) {
  Takes takes(info, "");
  const Model model = human48();
  takes.follow(model);
  LiveFrame frame;
  frame.state = rest_state(model);
  frame.arrival = 5;
  takes.write(frame);
  EXPECT_EQ(takes.failed(), "");
  EXPECT_TRUE(takes.written().empty());
  Takes written(info, path("states.mcap"));
  written.follow(model);
  written.write(frame);
  EXPECT_TRUE(written.close().empty());
  EXPECT_EQ(read("states.mcap").states.size(), 1U);
}

}  // namespace
}  // namespace panto::bridge
