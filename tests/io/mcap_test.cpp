#include "panto/io/mcap.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <random>

#include "panto/base/error.hpp"

namespace panto::io {
namespace {

struct Message {
  std::string topic;
  Time t;
  std::string bytes;
  friend bool operator==(const Message&, const Message&) = default;
};

struct Read {
  McapFile file;
  std::vector<Message> messages;
};

Read read(std::string_view bytes) {
  Read all;
  all.file = read_mcap(bytes, "take.mcap", [&](const McapChannel& channel, Time t, std::string_view message) {
    all.messages.push_back({channel.topic, t, std::string(message)});
    return true;
  });
  return all;
}

std::vector<Message> written_messages(int count) {
  std::mt19937_64 engine(5);
  std::vector<Message> messages;
  for (int i = 0; i < count; ++i) {
    std::string bytes(engine() % 200, '\0');
    for (char& byte : bytes) byte = static_cast<char>(engine());
    messages.push_back({i % 3 == 0 ? "/input" : "/joints", frame_time(i, 100.0), std::move(bytes)});
  }
  return messages;
}

// `flushed`: messages in a chunk
std::string file_of(const std::vector<Message>& messages, int flushed) {
  std::string bytes;
  McapWriter writer(Destination("take.mcap", bytes));
  writer.add_metadata("panto", {{"scheme", "mvn"}, {"robot", "g1"}});
  const std::uint16_t schema = writer.add_schema("foxglove.JointStates", "jsonschema", "{}");
  const std::uint16_t input = writer.add_channel(0, "/input", "datagram", {{"port", "9763"}});
  const std::uint16_t joints = writer.add_channel(schema, "/joints", "json");
  int count = 0;
  for (const Message& message : messages) {
    EXPECT_TRUE(writer.write(message.topic == "/input" ? input : joints, message.t, message.bytes));
    if (++count % flushed == 0) {
      EXPECT_TRUE(writer.flush());
    }
  }
  writer.close();
  return bytes;
}

TEST(Mcap, IsReadAsItWasWritten) {
  const std::vector<Message> messages = written_messages(500);
  const Read all = read(file_of(messages, 60));
  EXPECT_EQ(all.messages, messages);
  EXPECT_TRUE(all.file.complete);
  EXPECT_EQ(all.file.messages, 500);
  EXPECT_EQ(all.file.metadata.at("panto"), (McapWords{{"robot", "g1"}, {"scheme", "mvn"}}));
  EXPECT_EQ(all.file.channels.at(0).words.at("port"), "9763");
  EXPECT_EQ(all.file.channels.at(1).encoding, "json");
}

TEST(Mcap, OfNothingIsComplete) {
  const Read all = read(file_of({}, 1));
  EXPECT_TRUE(all.file.complete);
  EXPECT_TRUE(all.messages.empty());
}

TEST(Mcap, CutAnywhereKeepsEveryWholeChunk) {
  const std::vector<Message> messages = written_messages(40);
  const std::string bytes = file_of(messages, 10);
  std::size_t before = 0;
  for (std::size_t size = 8; size < bytes.size(); ++size) {
    const Read all = read(std::string_view(bytes).substr(0, size));
    EXPECT_FALSE(all.file.complete);
    EXPECT_EQ(all.messages.size() % 10, 0U) << "chunks are whole or not there";
    EXPECT_GE(all.messages.size(), before);
    before = all.messages.size();
    EXPECT_TRUE(std::equal(all.messages.begin(), all.messages.end(), messages.begin()));
  }
  EXPECT_EQ(before, 40U);
  for (std::size_t size = 0; size < 8; ++size)
    EXPECT_THROW((void)read(std::string_view(bytes).substr(0, size)), FormatError);
}

TEST(Mcap, DamagedAnywhereGivesTheRestOrIsRefusedWithTheByte) {
  const std::vector<Message> messages = written_messages(40);
  const std::string bytes = file_of(messages, 10);
  std::mt19937_64 engine(9);
  int refused = 0, rest = 0;
  for (int round = 0; round < 20000; ++round) {
    std::string damaged = bytes;
    for (std::uint64_t k = 0; k <= engine() % 4; ++k)
      damaged[engine() % damaged.size()] = static_cast<char>(engine());
    try {
      const Read all = read(damaged);
      // what is read is what was written, in its order
      std::size_t next = 0;
      for (const Message& message : all.messages) {
        while (next < messages.size() && !(messages[next] == message)) ++next;
        ASSERT_LT(next++, messages.size());
      }
      ASSERT_TRUE(all.messages.size() == 40 || !all.file.losses.empty() || !all.file.complete) << round;
      rest += all.messages.size() < 40 ? 1 : 0;
    } catch (const FormatError& error) {
      const std::string text = error.what();
      EXPECT_TRUE(text.find("take.mcap: byte ") == 0 || text.find("no MCAP") != std::string::npos) << text;
      ++refused;
    }
  }
  EXPECT_LT(refused, 400) << "those whose first eight bytes are hit, 0.3 % of the file";
  EXPECT_GT(rest, 10000) << "most of the file lies in chunks";
}

TEST(Mcap, OneFlippedBitCostsOneChunkAtMost) {
  const std::vector<Message> messages = written_messages(40);
  const std::string bytes = file_of(messages, 10);
  for (std::size_t byte = 8; byte < bytes.size() - 8; ++byte) {
    std::string damaged = bytes;
    damaged[byte] = static_cast<char>(damaged[byte] ^ (1 << (byte % 8)));
    const Read all = read(damaged);
    ASSERT_GE(all.messages.size(), 30U) << byte;
    if (all.messages.size() == 40) continue;
    ASSERT_FALSE(all.file.losses.empty() && all.file.complete) << byte;
    if (all.file.losses.empty()) continue;
    const McapLoss& loss = all.file.losses.front();
    EXPECT_LE(loss.byte, byte);
    if (loss.from != 0 && loss.to != 0) {
      EXPECT_EQ(loss.to - loss.from, 11 * 10'000'000) << "ten samples and the step to the next";
    }
  }
}

TEST(Mcap, RefusesMessagesOfNoChannelAndCompressedChunks) {
  std::string bytes;
  McapWriter writer(Destination("take.mcap", bytes));
  EXPECT_TRUE(writer.write(7, 0, "x"));
  writer.close();
  try {
    (void)read(bytes);
    FAIL();
  } catch (const FormatError& error) {
    EXPECT_NE(std::string(error.what()).find("a channel that is not described"), std::string::npos);
  }
}

TEST(Mcap, EndsWhereTheReaderWants) {
  int taken = 0;
  const std::string bytes = file_of(written_messages(40), 10);
  const McapFile file =
      read_mcap(bytes, "take.mcap", [&](const McapChannel&, Time, std::string_view) { return ++taken < 5; });
  EXPECT_EQ(taken, 5);
  EXPECT_FALSE(file.complete);
}

TEST(Mcap, IsOnTheDiskUpToTheLastFlush) {
  const std::string path =
      (std::filesystem::temp_directory_path() / ("panto_mcap_" + std::to_string(::getpid()))).string();
  {
    McapWriter writer(Destination{path});
    const std::uint16_t channel = writer.add_channel(0, "/input", "datagram");
    for (int k = 0; k < 10; ++k) EXPECT_TRUE(writer.write(channel, k, "datagram"));
    EXPECT_TRUE(writer.flush());
    EXPECT_TRUE(writer.write(channel, 10, "not yet"));
    std::ifstream part(path + ".part", std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(part), {}};
    EXPECT_EQ(read(bytes).messages.size(), 10U);
    EXPECT_FALSE(std::filesystem::exists(path));
    writer.close();
  }
  EXPECT_TRUE(std::filesystem::exists(path));
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace panto::io
