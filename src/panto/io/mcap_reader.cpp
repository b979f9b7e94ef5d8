// Reads MCAP.

#include <fmt/format.h>

#include <cstring>
#include <optional>

#include "panto/base/crc32c.hpp"
#include "panto/base/error.hpp"
#include "panto/io/mcap.hpp"
#include "panto/io/mcap_records.hpp"

namespace panto::io {
namespace {

using mcap::Op;

constexpr std::size_t kMostChannels = 4096, kMostMetadata = 4096;

// Takes values from the front of bytes; after one that is not there, all are zero and `good` is false.
class Bytes {
 public:
  explicit Bytes(std::string_view bytes) : rest_(bytes) {}

  template <typename T>
  T take() {
    T value{};
    if (rest_.size() < sizeof value) {
      good_ = false;
      return value;
    }
    std::memcpy(&value, rest_.data(), sizeof value);
    rest_.remove_prefix(sizeof value);
    return value;
  }
  std::string_view take(std::uint64_t size) {
    if (size > rest_.size()) {
      good_ = false;
      return {};
    }
    const std::string_view taken = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return taken;
  }
  std::string_view text() { return take(std::uint64_t{take<std::uint32_t>()}); }
  McapWords words() {
    McapWords words;
    Bytes all(text());
    while (all.good() && !all.rest().empty()) {
      const std::string key(all.text());
      words[key] = std::string(all.text());
    }
    good_ = good_ && all.good();
    return words;
  }
  [[nodiscard]] std::string_view rest() const noexcept { return rest_; }
  [[nodiscard]] bool good() const noexcept { return good_; }

 private:
  std::string_view rest_;
  bool good_ = true;
};

// Reads records one after the other.
class Reader {
 public:
  Reader(std::string_view bytes, const std::string& name, const McapMessage& message)
      : begin_(bytes.data()), name_(name), message_(message) {
    if (!is_mcap(bytes))
      throw FormatError(name + ": no MCAP (its first bytes are not those of MCAP version 0)");
    read_all(bytes.substr(mcap::kMagic.size()));
  }
  [[nodiscard]] McapFile take() { return std::move(file_); }

 private:
  [[noreturn]] void refuse(const char* at, const std::string& what) const {
    throw FormatError(fmt::format("{}: byte {}: {}", name_, at - begin_, what));
  }
  void read_all(std::string_view bytes);
  bool read_chunk(std::string_view content);
  bool read_record(Op op, std::string_view content);
  void read_channel(std::string_view content);
  void read_metadata(std::string_view content);
  bool read_message(std::string_view content);

  const char* begin_;
  const std::string& name_;
  const McapMessage& message_;
  McapFile file_;
};

// a record's opcode and content at the front of `bytes`, removed from there; nothing: it is not whole
std::optional<std::pair<Op, std::string_view>> next_record(std::string_view& bytes) {
  Bytes head(bytes);
  const auto op = head.take<std::uint8_t>();
  const auto length = head.take<std::uint64_t>();
  const std::string_view content = head.take(length);
  if (!head.good()) return std::nullopt;
  bytes = head.rest();
  return std::pair{static_cast<Op>(op), content};
}

void Reader::read_all(std::string_view bytes) {
  bool indexed = false;
  while (!bytes.empty()) {
    if (indexed && bytes == mcap::kMagic) {
      file_.complete = true;
      return;
    }
    const auto record = next_record(bytes);
    if (!record) return;  // the writer was killed here
    if (record->first == Op::DataEnd) indexed = true;
    // what follows repeats what was read
    if (indexed) continue;
    if (!(record->first == Op::Chunk ? read_chunk(record->second)
                                     : read_record(record->first, record->second)))
      return;
  }
}

bool Reader::read_chunk(std::string_view content) {
  Bytes chunk(content);
  (void)chunk.take<std::uint64_t>();
  (void)chunk.take<std::uint64_t>();
  const auto size = chunk.take<std::uint64_t>();
  const auto expected = chunk.take<std::uint32_t>();
  const std::string_view compression = chunk.text();
  const auto stored = chunk.take<std::uint64_t>();
  std::string_view records = chunk.take(stored);
  if (!chunk.good()) refuse(content.data(), "a chunk is longer than its record");
  if (!compression.empty())
    refuse(content.data(),
           "a chunk is compressed, which is not read; store it again without compression "
           "(mcap compress --compression none)");
  if (size != records.size()) refuse(content.data(), "a chunk has another size than it says");
  if (expected != 0 && crc32(std::as_bytes(std::span(records.data(), records.size()))) != expected)
    refuse(content.data(), "a chunk is damaged: its checksum does not fit");
  while (!records.empty()) {
    const char* const at = records.data();
    const auto record = next_record(records);
    if (!record) refuse(at, "a record is longer than its chunk");
    if (!read_record(record->first, record->second)) return false;
  }
  return true;
}

bool Reader::read_record(Op op, std::string_view content) {
  switch (op) {
    case Op::Channel:
      read_channel(content);
      return true;
    case Op::Metadata:
      read_metadata(content);
      return true;
    case Op::Message:
      return read_message(content);
    default:
      return true;  // schemas are the viewer's matter, indices repeat
  }
}

void Reader::read_channel(std::string_view content) {
  Bytes bytes(content);
  McapChannel channel;
  channel.id = bytes.take<std::uint16_t>();
  (void)bytes.take<std::uint16_t>();
  channel.topic = std::string(bytes.text());
  channel.encoding = std::string(bytes.text());
  channel.words = bytes.words();
  if (!bytes.good()) refuse(content.data(), "a channel ends within a field");
  if (file_.channels.size() >= kMostChannels) refuse(content.data(), "more than 4096 channels");
  file_.channels[channel.id] = std::move(channel);
}

void Reader::read_metadata(std::string_view content) {
  Bytes bytes(content);
  std::string name(bytes.text());
  McapWords words = bytes.words();
  if (!bytes.good()) refuse(content.data(), "metadata end within a field");
  if (file_.metadata.size() >= kMostMetadata) refuse(content.data(), "more than 4096 metadata");
  file_.metadata[std::move(name)] = std::move(words);
}

bool Reader::read_message(std::string_view content) {
  Bytes bytes(content);
  const auto channel = bytes.take<std::uint16_t>();
  (void)bytes.take<std::uint32_t>();
  const auto t = bytes.take<std::uint64_t>();
  (void)bytes.take<std::uint64_t>();
  if (!bytes.good()) refuse(content.data(), "a message ends within its head");
  const auto found = file_.channels.find(channel);
  if (found == file_.channels.end()) refuse(content.data(), "a message of a channel that is not described");
  if (t > static_cast<std::uint64_t>(INT64_MAX)) refuse(content.data(), "a stamp beyond the year 2262");
  ++file_.messages;
  return message_(found->second, static_cast<Time>(t), bytes.rest());
}

}  // namespace

bool is_mcap(std::string_view bytes) noexcept { return bytes.starts_with(mcap::kMagic); }

McapFile read_mcap(std::string_view bytes, const std::string& name, const McapMessage& message) {
  return Reader(bytes, name, message).take();
}

}  // namespace panto::io
