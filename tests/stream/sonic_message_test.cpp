#include "panto/stream/sonic_message.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <string>
#include <string_view>

#include "apps/support/allocation_count.hpp"
#include "panto/base/error.hpp"
#include "panto/math/so3.hpp"
#include "panto/stream/byte_io.hpp"

namespace panto::stream {
namespace {

State state_of(double first, double second, const Eigen::Vector3d& turn) {
  State state;
  state.s = Eigen::Vector2d(first, second);
  state.sdot = Eigen::Vector2d(10.0 * first, 10.0 * second);
  state.R_WB = so3::exp(turn);
  return state;
}

// What a message says.
struct Read {
  std::string topic, header;
  std::vector<std::vector<float>> positions, rates, turns;
  std::vector<std::int64_t> indices;
};

std::vector<std::vector<float>> rows(ByteReader<std::endian::little>& from, std::size_t count,
                                     std::size_t width) {
  std::vector<std::vector<float>> all(count, std::vector<float>(width));
  for (auto& row : all)
    for (float& value : row) value = from.real32();
  return all;
}

Read read(std::span<const std::byte> message, std::size_t joints) {
  ByteReader<std::endian::little> from(message);
  Read found;
  found.topic = from.letters(4);
  const std::string_view padded = from.letters(kSonicHeader);
  found.header = padded.substr(0, padded.find('\0'));
  EXPECT_EQ(padded.find_first_not_of('\0', found.header.size()), std::string_view::npos)
      << "padded with zeros";
  const std::size_t frames = from.left() / (joints * 8 + 24);
  found.positions = rows(from, frames, joints);
  found.rates = rows(from, frames, joints);
  found.turns = rows(from, frames, 4);
  for (std::size_t i = 0; i < frames; ++i)
    found.indices.push_back(std::bit_cast<std::int64_t>(from.word<std::uint64_t>()));
  EXPECT_TRUE(from.ok());
  EXPECT_EQ(from.left(), 0U);
  return found;
}

TEST(SonicMessage, OfOneFrameIsTheTopicTheHeaderAndTheNumbers) {
  SonicMessage message({1, 0});
  const Read found = read(message.add(state_of(0.25, -0.5, {0.0, 0.0, 1.0})), 2);
  EXPECT_EQ(found.topic, "pose");
  EXPECT_EQ(
      found.header,
      R"({"v": 1, "endian": "le", "count": 1, "fields": [{"name": "joint_pos", "dtype": "f32", "shape": [1, 2]}, )"
      R"({"name": "joint_vel", "dtype": "f32", "shape": [1, 2]}, {"name": "body_quat", "dtype": "f32", "shape": [1, 4]}, )"
      R"({"name": "frame_index", "dtype": "i64", "shape": [1]}]})");
  EXPECT_EQ(found.positions, (std::vector<std::vector<float>>{{-0.5F, 0.25F}}))
      << "in the order that was asked for";
  EXPECT_EQ(found.rates, (std::vector<std::vector<float>>{{-5.0F, 2.5F}}));
  EXPECT_FLOAT_EQ(found.turns[0][0], 0.87758256F) << "cos(0.5): w comes first";
  EXPECT_FLOAT_EQ(found.turns[0][3], 0.47942554F) << "sin(0.5)";
  EXPECT_EQ(found.indices, std::vector<std::int64_t>{0});
}

TEST(SonicMessage, RepeatsFourFramesSoThatALostOneLeavesNoHole) {
  SonicMessage message({0, 1});
  for (int k = 0; k < 12; ++k) {
    const Read found = read(message.add(state_of(k, -k, {})), 2);
    const std::size_t frames = std::min<std::size_t>(static_cast<std::size_t>(k) + 1, SonicMessage::kFrames);
    ASSERT_EQ(found.indices.size(), frames);
    EXPECT_NE(found.header.find("\"count\": " + std::to_string(frames)), std::string::npos) << found.header;
    for (std::size_t i = 0; i < frames; ++i) {
      const auto index = k + 1 - static_cast<std::int64_t>(frames) + static_cast<std::int64_t>(i);
      EXPECT_EQ(found.indices[i], index) << "without gaps: the controller refuses a stride that changes";
      EXPECT_EQ(found.positions[i][0], static_cast<float>(index));
    }
  }
}

TEST(SonicMessage, KeepsQuaternionsOnOneSideWhileThePersonTurnsRound) {
  SonicMessage message({0});
  std::vector<float> before;
  for (int k = 0; k < 200; ++k) {
    const Read found = read(message.add(state_of(0.0, 0.0, {0.0, 0.0, 0.1 * k})), 1);
    const std::vector<float>& turn = found.turns.back();
    if (k > 0) {
      float same = 0.0F;
      for (std::size_t i = 0; i < 4; ++i) same += turn[i] * before[i];
      EXPECT_GT(same, 0.99F) << "frame " << k << ": 0.1 rad is no half turn of numbers";
    }
    before = turn;
  }
}

TEST(SonicMessage, FitsItsHeaderWithTheJointsOfALargeHumanoid) {
  State state;
  state.s = state.sdot = Eigen::VectorXd::Zero(100);
  std::vector<std::int64_t> all(100);
  for (std::size_t j = 0; j < all.size(); ++j) all[j] = static_cast<std::int64_t>(j);
  SonicMessage message(all);
  EXPECT_LT(read(message.add(state), 100).header.size(), kSonicHeader / 2);
  EXPECT_THROW(SonicMessage({}), ConfigError);
}

TEST(SonicMessage, DoesNotAllocateOnceItIsFull) {
  if (!AllocationCount::available()) GTEST_SKIP() << "the sanitizer owns malloc";
  SonicMessage message({0, 1});
  const State state = state_of(0.1, 0.2, {0.1, 0.2, 0.3});
  for (int k = 0; k < 10; ++k) (void)message.add(state);
  const AllocationCount count;
  for (int k = 0; k < 100; ++k) (void)message.add(state);
  EXPECT_EQ(count.value(), 0);
}

}  // namespace
}  // namespace panto::stream
