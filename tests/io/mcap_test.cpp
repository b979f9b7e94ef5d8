#include "panto/io/mcap.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <ctime>
#include <filesystem>
#include <fstream>
#include <random>
#include <span>

#include "panto/base/crc32c.hpp"
#include "panto/base/error.hpp"
#include "panto/io/mcap_records.hpp"
#include "tests/support/sanitizers.hpp"

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

template <typename Word>
void append(std::string& bytes, Word word) {
  bytes.append(reinterpret_cast<const char*>(&word), sizeof word);
}

// the head of a chunk of `size` bytes of records
std::string chunk_head(std::uint64_t size, std::uint32_t checksum) {
  std::string head(1, '\6');
  append(head, std::uint64_t{40} + size);
  append(head, std::uint64_t{0});
  append(head, std::uint64_t{0});
  append(head, size);
  append(head, checksum);
  append(head, std::uint32_t{0});
  append(head, size);
  return head;
}

// processor time, so that a busy machine does not fail the test
double seconds_to_read(const std::string& bytes) {
  const std::clock_t start = std::clock();
  (void)read(bytes);
  return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

TEST(Mcap, HeadsOfChunksWithinEachOtherCostNoMoreThanTheBytesOfTheFile) {
  std::string bytes(mcap::kMagic);
  bytes += '\xff';
  const std::size_t begin = bytes.size(), head = chunk_head(0, 1).size(), heads = 40'000;
  for (std::size_t i = 1; i <= heads; ++i) bytes += chunk_head((heads - i) * head, 1);
  EXPECT_EQ(bytes.size(), begin + heads * head);
  // one after the other they would be 39 GB of checksums
  EXPECT_LT(seconds_to_read(bytes), test::sanitized() ? 5.0 : 0.5);
}

TEST(Mcap, AMessageOfStampZeroEndsTheLossesBeforeIt) {
  std::string channel(1, '\4');
  append(channel, std::uint64_t{16});
  channel += std::string(16, '\0');
  std::string message(1, '\5');
  append(message, std::uint64_t{22});
  message += std::string(22, '\0');
  const auto checked = [](const std::string& records) {
    const std::string_view text = records;
    return chunk_head(records.size(), crc32(std::as_bytes(std::span(text.data(), text.size())))) + records;
  };
  std::string bytes(mcap::kMagic);
  bytes += checked(channel);
  const std::string lost = '\xff' + checked(message);
  for (int i = 0; i < 100'000; ++i) bytes += lost;
  const Read all = read(bytes);
  EXPECT_EQ(all.messages.size(), 100'000U);
  EXPECT_EQ(all.file.losses.size(), 100'000U);
  // each message going through all losses would take 5e9 steps
  EXPECT_LT(seconds_to_read(bytes), test::sanitized() ? 5.0 : 0.5);
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
