// Reads MCAP.

#include <fmt/core.h>

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

// What a chunk holds, and whether it is as it was written.
struct Chunk {
  std::string_view records, compression;
  std::uint32_t expected = 0;  // its checksum; 0: it has none
  bool whole = false;          // its sizes agree

  explicit Chunk(std::string_view content) {
    Bytes bytes(content);
    (void)bytes.take<std::uint64_t>();
    (void)bytes.take<std::uint64_t>();
    const auto size = bytes.take<std::uint64_t>();
    expected = bytes.take<std::uint32_t>();
    compression = bytes.text();
    records = bytes.take(bytes.take<std::uint64_t>());
    whole = bytes.good() && bytes.rest().empty() && size == records.size() && compression.empty();
  }
  // its checksum fits, if it has one
  [[nodiscard]] bool sound() const { return whole && (expected == 0 || checksum(records) == expected); }

  static std::uint32_t checksum(std::string_view bytes) {
    return crc32(std::as_bytes(std::span(bytes.data(), bytes.size())));
  }
};

// Reads records one after the other. Where they are damaged it goes on at the next sound chunk.
class Reader {
 public:
  Reader(std::string_view bytes, const std::string& name, const McapMessage& message)
      : begin_(bytes.data()), name_(name), message_(message), search_(4 * bytes.size()) {
    if (!is_mcap(bytes))
      throw FormatError(name + ": no MCAP (its first bytes are not those of MCAP version 0)");
    read_summary(bytes);
    read_all(bytes.substr(mcap::kMagic.size()));
  }
  [[nodiscard]] McapFile take() { return std::move(file_); }

 private:
  [[noreturn]] void refuse(const char* at, const std::string& what) const {
    throw FormatError(fmt::format("{}: byte {}: {}", name_, at - begin_, what));
  }
  void read_summary(std::string_view bytes);
  void read_all(std::string_view bytes);
  std::size_t next_chunk(std::string_view bytes);
  bool lose(const char* at, std::string_view& rest);
  bool read_chunk(std::string_view content);
  bool read_record(Op op, std::string_view content);
  void read_channel(std::string_view content);
  void read_metadata(std::string_view content);
  bool read_message(std::string_view content);

  const char* begin_;
  const std::string& name_;
  const McapMessage& message_;
  McapFile file_;
  Time last_ = 0;          // stamp of the newest message
  std::size_t ended_ = 0;  // losses after which a message came
  // bytes whose checksums a search may still take: a file may be made of heads within heads
  std::size_t search_;
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

// Returns whether fields of variable length fill the content of a record, as they do where nothing is
// damaged.
bool is_whole(Op op, std::string_view content) {
  Bytes bytes(content);
  switch (op) {
    case Op::Header:
      (void)bytes.text();
      (void)bytes.text();
      break;
    case Op::MessageIndex:
      (void)bytes.take<std::uint16_t>();
      (void)bytes.text();
      break;
    case Op::Metadata:
      (void)bytes.text();
      (void)bytes.words();
      break;
    case Op::DataEnd:
      (void)bytes.take<std::uint32_t>();
      break;
    case Op::Channel:
    case Op::Message:
      return false;  // outside of a chunk nothing vouches for them, and Panto writes none there
    default:
      return op >= Op::Header && op <= Op::DataEnd;
  }
  return bytes.good() && bytes.rest().empty();
}

// Where the next chunk with a checksum that fits begins; npos: none follows.
std::size_t Reader::next_chunk(std::string_view bytes) {
  for (std::size_t at = bytes.find('\x06'); at != std::string_view::npos; at = bytes.find('\x06', at + 1)) {
    std::string_view rest = bytes.substr(at);
    const auto record = next_record(rest);
    const Chunk chunk(record ? record->second : std::string_view());
    if (!chunk.whole || chunk.expected == 0) continue;
    if (chunk.records.size() > search_) break;
    search_ -= chunk.records.size();
    if (chunk.sound()) return at;
  }
  return std::string_view::npos;
}

// Channels stand at the end once more: the chunk that described them may be damaged.
void Reader::read_summary(std::string_view bytes) {
  constexpr std::size_t kFooter = mcap::kRecordHead + 20, kChecksum = 4;
  if (!bytes.ends_with(mcap::kMagic) || bytes.size() < 2 * mcap::kMagic.size() + kFooter) return;
  bytes.remove_suffix(mcap::kMagic.size());
  Bytes footer(bytes.substr(bytes.size() - kFooter + mcap::kRecordHead));
  const auto begin = footer.take<std::uint64_t>();
  (void)footer.take<std::uint64_t>();
  const auto expected = footer.take<std::uint32_t>();
  if (begin == 0 || begin > bytes.size() - kFooter || expected == 0) return;
  if (Chunk::checksum(bytes.substr(begin, bytes.size() - begin - kChecksum)) != expected) return;
  std::string_view summary = bytes.substr(begin);
  while (const auto record = next_record(summary))
    if (record->first == Op::Channel) read_channel(record->second);
}

void Reader::read_all(std::string_view bytes) {
  bool indexed = false;
  while (!bytes.empty()) {
    if (indexed && bytes == mcap::kMagic) {
      file_.complete = true;
      return;
    }
    const char* const at = bytes.data();
    std::string_view rest = bytes;
    const auto record = next_record(rest);
    // what follows the data repeats what was read
    if (indexed && record) {
      bytes = rest;
      continue;
    }
    const Chunk chunk(record ? record->second : std::string_view());
    const bool is_chunk = record && (record->first == Op::Chunk || (chunk.whole && !chunk.records.empty()));
    if (is_chunk && (chunk.compression == "lz4" || chunk.compression == "zstd"))
      refuse(at,
             "a chunk is compressed, which is not read; store it again without compression "
             "(mcap compress --compression none)");
    const bool fine = record && (is_chunk ? chunk.sound() : is_whole(record->first, record->second));
    if (!fine) {
      // the record after a damaged chunk follows it where its sizes agree
      if (!is_chunk || !chunk.whole) rest = bytes.substr(1);
      if (!lose(at, rest)) return;
      bytes = rest;
      continue;
    }
    bytes = rest;
    indexed = record->first == Op::DataEnd;
    if (!(is_chunk ? read_chunk(chunk.records) : read_record(record->first, record->second))) return;
  }
}

// Notes that records are lost at a byte and moves `rest` to where reading goes on. Returns false where
// nothing more can be read: the file was cut here.
bool Reader::lose(const char* at, std::string_view& rest) {
  std::string_view next = rest;
  const auto record = next_record(next);
  const Chunk chunk(record ? record->second : std::string_view());
  const bool goes_on = record && at + 1 < rest.data() &&
                       ((chunk.expected != 0 && chunk.sound()) || is_whole(record->first, record->second));
  const std::size_t place = goes_on ? 0 : next_chunk(rest);
  if (place == std::string_view::npos) return false;
  file_.losses.push_back({static_cast<std::uint64_t>(at - begin_), last_, 0});
  rest.remove_prefix(place);
  return true;
}

bool Reader::read_chunk(std::string_view records) {
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
  if (!bytes.good()) refuse(content.data(), "a message ends within its header");
  const auto found = file_.channels.find(channel);
  if (found == file_.channels.end() && !file_.losses.empty()) return true;  // its description is lost, too
  if (found == file_.channels.end()) refuse(content.data(), "a message of a channel that is not described");
  if (t > static_cast<std::uint64_t>(INT64_MAX)) refuse(content.data(), "a stamp beyond the year 2262");
  ++file_.messages;
  last_ = static_cast<Time>(t);
  for (; ended_ < file_.losses.size(); ++ended_) file_.losses[ended_].to = last_;
  return message_(found->second, static_cast<Time>(t), bytes.rest());
}

}  // namespace

bool is_mcap(std::string_view bytes) noexcept { return bytes.starts_with(mcap::kMagic); }

McapFile read_mcap(std::string_view bytes, const std::string& name, const McapMessage& message) {
  return Reader(bytes, name, message).take();
}

}  // namespace panto::io
