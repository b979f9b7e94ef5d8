#include "panto/io/stream_recording.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>

#include "panto/base/error.hpp"
#include "panto/base/index.hpp"
#include "panto/io/mcap.hpp"
#include "panto/math/so3.hpp"
#include "panto/model/human.hpp"

namespace panto::io {
namespace {

class AStreamRecording : public ::testing::Test {
 protected:
  ~AStreamRecording() override {
    for (const char* ending : {"", ".part"}) std::filesystem::remove(path + ending);
  }
  [[nodiscard]] static std::string bytes_of(const std::string& file) {
    std::ifstream stream(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
  }
  [[nodiscard]] static State random_state(std::mt19937_64& engine, Time t) {
    State state = rest_state(model());
    std::normal_distribution<double> normal;
    for (double& s : state.s) s = normal(engine);
    for (double& s : state.sdot) s = normal(engine);
    state.p_WB = {normal(engine), normal(engine), 1.0};
    state.R_WB = so3::exp({normal(engine), normal(engine), normal(engine)});
    state.t = t;
    return state;
  }
  static const Model& model() {
    static const Model human = human48();
    return human;
  }
  // what a run of a hundred samples does; `dates` begin in 2026
  void record(StreamRecorder& recorder, std::vector<State>& states) const {
    std::mt19937_64 engine(2);
    for (int k = 0; k < 100; ++k) {
      const Time now = k * 4'000'000;
      const std::string datagram = "MXTP02 " + std::to_string(k);
      recorder.datagram(std::as_bytes(std::span(datagram)), at(k % 3), now);
      if (k % 10 == 9) continue;  // overtaken
      recorder.solved(k, now);
      states.push_back(random_state(engine, k));
      recorder.state(states.back(), now);
      recorder.flush(now);
    }
  }
  const std::string path =
      (std::filesystem::temp_directory_path() / ("panto_take_" + std::to_string(::getpid()) + ".mcap"))
          .string();
  const StreamRecordingInfo info{"mvn", "mvn://:9763", 1'790'000'000'000'000'000, {{"robot", "g1"}}};
};

TEST_F(AStreamRecording, KeepsMarksAndWhereTheRunWasRealigned) {
  StreamRecorder recorder(path, info);
  const std::string datagram = "MXTP02";
  recorder.datagram(std::as_bytes(std::span(datagram)), 0, 1'000'000'000);
  recorder.aligned(41, 1'500'000'000);
  recorder.sensors("[mounts]", 1'550'000'000);
  recorder.calibrated(43, 1'600'000'000, "npose tpose");
  recorder.mark("mark 1: left knee", 2'250'000'000);
  recorder.mark("mark 2", 3'000'000'000);
  recorder.close();
  const StreamRecording read = read_stream_recording(bytes_of(path), "take.mcap");
  ASSERT_EQ(read.aligned.size(), 1U);
  EXPECT_EQ(read.aligned[0].t, 41);
  EXPECT_EQ(read.aligned[0].date, info.begun + 1'500'000'000);
  EXPECT_EQ(read.sensors, "[mounts]");
  ASSERT_EQ(read.calibrated.size(), 1U);
  EXPECT_EQ(read.calibrated[0].from.t, 43);
  EXPECT_EQ(read.calibrated[0].poses, "npose tpose");
  ASSERT_EQ(read.marks.size(), 2U);
  EXPECT_EQ(read.marks[0].date, info.begun + 2'250'000'000);
  EXPECT_EQ(marks_of(read), (std::vector<std::string>{"at 1.25 s: mark 1: left knee", "at 2.00 s: mark 2"}));
}

TEST_F(AStreamRecording, GivesBackWhatCameAndWhatBecameOfItToTheBit) {
  StreamRecorder recorder(path, info);
  recorder.follow(model());
  std::vector<State> states;
  record(recorder, states);
  recorder.close();
  const StreamRecording read = read_stream_recording(bytes_of(path), "take.mcap");
  EXPECT_TRUE(read.complete);
  EXPECT_EQ(read.info.scheme, "mvn");
  EXPECT_EQ(read.info.begun, info.begun);
  EXPECT_EQ(read.info.words.at("robot"), "g1");
  ASSERT_EQ(read.datagrams.size(), 100U);
  EXPECT_EQ(read.datagrams[43].bytes, "MXTP02 43");
  EXPECT_EQ(read.datagrams[43].sender, 1U);
  EXPECT_EQ(read.datagrams[43].arrival, info.begun + 43 * 4'000'000);
  ASSERT_EQ(read.solved.size(), 90U);
  EXPECT_EQ(read.solved.back().t, 98);
  ASSERT_EQ(read.states.size(), states.size());
  for (std::size_t k = 0; k < states.size(); ++k)
    EXPECT_EQ(state_hash(read.states[k]), state_hash(states[k])) << k;
}

TEST_F(AStreamRecording, ShowsViewersTheJointsAtMost60TimesASecond) {
  StreamRecorder recorder(path, info);
  recorder.follow(model());
  std::vector<State> states;
  record(recorder, states);
  recorder.close();
  std::vector<nlohmann::json> joints, transforms;
  (void)read_mcap(bytes_of(path), "take.mcap", [&](const McapChannel& channel, Time, std::string_view text) {
    if (channel.topic == "/joint_states") joints.push_back(nlohmann::json::parse(text));
    if (channel.topic == "/tf") transforms.push_back(nlohmann::json::parse(text));
    return true;
  });
  EXPECT_EQ(joints.size(), 25U) << "0.4 s, every 16 ms";
  ASSERT_EQ(joints.size(), transforms.size());
  EXPECT_EQ(joints[0]["joints"].size(), 48U);
  EXPECT_EQ(joints[0]["joints"][5]["name"], model().joint_names()[5]);
  EXPECT_NEAR(joints[0]["joints"][5]["position"].get<double>(), states[0].s[5], 1e-8);
  EXPECT_EQ(joints[0]["timestamp"]["sec"], 1'790'000'000);
  EXPECT_EQ(transforms[0]["transforms"].size(), static_cast<std::size_t>(model().link_count()));
}

TEST_F(AStreamRecording, OfARunThatWasKilledHoldsWhatWasFlushed) {
  std::vector<State> states;
  {
    StreamRecorder recorder(path, info);
    recorder.follow(model());
    record(recorder, states);
    const StreamRecording read = read_stream_recording(bytes_of(path + ".part"), "take.mcap.part");
    EXPECT_FALSE(read.complete);
    EXPECT_GE(read.datagrams.size(), 60U) << "all but the last quarter of a second, 63 samples of 4 ms";
    EXPECT_FALSE(std::filesystem::exists(path));
  }
  std::filesystem::remove(path + ".part");
}

TEST_F(AStreamRecording, ThatIsDamagedGivesTheRestAndSaysWhatIsLost) {
  StreamRecorder recorder(path, info);
  recorder.follow(model());
  std::vector<State> states;
  record(recorder, states);
  recorder.close();
  const std::string bytes = bytes_of(path);
  std::string damaged = bytes;
  damaged[bytes.size() / 3] = static_cast<char>(damaged[bytes.size() / 3] ^ 16);
  const StreamRecording read = read_stream_recording(damaged, "take.mcap");
  EXPECT_GT(read.datagrams.size(), 20U);
  EXPECT_LT(read.datagrams.size(), 100U);
  ASSERT_EQ(read.damages.size(), 1U);
  EXPECT_NE(read.damages[0].find("left out"), std::string::npos);

  std::mt19937_64 engine(31);
  for (int round = 0; round < 300; ++round) {
    damaged = bytes;
    for (std::uint64_t k = 0; k <= engine() % 8; ++k)
      damaged[engine() % damaged.size()] ^= static_cast<char>(1U << (engine() % 8));
    try {
      const StreamRecording some = read_stream_recording(damaged, "take.mcap");
      ASSERT_TRUE(some.datagrams.size() == 100 || !some.damages.empty() || !some.complete) << round;
    } catch (const FormatError&) {  // a message is an answer, too
    }
  }
}

TEST_F(AStreamRecording, WithoutAModelKeepsTheDatagrams) {
  StreamRecorder recorder(path, info);
  std::vector<State> states;
  record(recorder, states);
  recorder.close();
  const StreamRecording read = read_stream_recording(bytes_of(path), "take.mcap");
  EXPECT_EQ(read.datagrams.size(), 100U);
  EXPECT_TRUE(read.states.empty());
}

TEST_F(AStreamRecording, IsToldFromOtherFiles) {
  std::string other;
  McapWriter writer(Destination("other.mcap", other));
  (void)writer.write(writer.add_channel(0, "/camera", "raw"), 0, "x");
  writer.close();
  EXPECT_TRUE(is_mcap(other));
  EXPECT_FALSE(is_mcap("HIERARCHY"));
  try {
    (void)read_stream_recording(other, "other.mcap");
    FAIL();
  } catch (const FormatError& error) {
    EXPECT_NE(std::string(error.what()).find("no recording of a live run"), std::string::npos);
  }
}

TEST_F(AStreamRecording, RefusesAStateOfAnotherSize) {
  std::string bytes;
  McapWriter writer(Destination("take.mcap", bytes));
  writer.add_metadata("panto", {{"scheme", "mvn"}});
  const std::uint16_t channel = writer.add_channel(0, "/state", "panto.state");
  for (const std::size_t size : {std::size_t{19 * 8}, std::size_t{7}})
    (void)writer.write(channel, 0, std::string(size, '\0'));
  writer.close();
  EXPECT_THROW((void)read_stream_recording(bytes, "take.mcap"), FormatError);
}

}  // namespace
}  // namespace panto::io
