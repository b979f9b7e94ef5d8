#pragma once
// MCAP, the container of recorded streams (mcap.dev/spec, version 0): chunks of messages with checksums,
// which survive a writer that was killed.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "panto/base/time.hpp"
#include "panto/io/part_file.hpp"

namespace panto::io {

using McapWords = std::map<std::string, std::string>;

/// Writes a file. Messages are collected in chunks without compression.
class McapWriter {
 public:
  /// The file appears under its name at `close`; until then its `.part` can be read up to the last chunk.
  /// @throws Error as `PartFile`.
  explicit McapWriter(const Destination& to);

  /// Adds words about the whole file. Call it before the first message, so that they survive.
  void add_metadata(const std::string& name, const McapWords& words);
  /// Adds a schema and returns its id, from 1. `encoding`: "jsonschema".
  std::uint16_t add_schema(const std::string& name, const std::string& encoding, std::string_view text);
  /// Adds a channel and returns its id. `schema`: 0 for none. `encoding` of messages: "json".
  std::uint16_t add_channel(std::uint16_t schema, const std::string& topic, const std::string& encoding,
                            const McapWords& words = {});

  /// Adds a message of stamp `t` [ns] >= 0. Returns false when writing has failed.
  bool write(std::uint16_t channel, Time t, std::string_view message);
  /// Ends the chunk and hands it to the operating system. Returns false when writing has failed.
  bool flush();
  /// Writes the index and gives the file its name. @throws Error with the system's reason.
  void close();

  /// Returns the bytes of the chunk that is not yet written.
  [[nodiscard]] std::size_t pending() const noexcept { return chunk_.size(); }
  [[nodiscard]] bool good() const noexcept { return file_.good(); }
  [[nodiscard]] std::int64_t messages() const noexcept { return messages_; }

 private:
  struct ChunkPlace {
    std::uint64_t start = 0, length = 0, size = 0, index_length = 0;
    Time first = 0, last = 0;
    std::map<std::uint16_t, std::uint64_t> indices;  // offset of a channel's index in the file
  };
  using Entries = std::map<std::uint16_t, std::vector<std::pair<Time, std::uint64_t>>>;
  bool put(std::string_view bytes) { return file_.write(bytes); }

  PartFile file_;
  std::string schemas_, channels_;  // records, repeated in the summary
  std::uint16_t schema_count_ = 0, channel_count_ = 0;
  std::string metadata_index_;
  std::uint32_t metadata_count_ = 0;
  std::string chunk_;
  Entries entries_;  // of the chunk
  Time first_ = 0, last_ = 0;
  std::vector<ChunkPlace> places_;
  std::map<std::uint16_t, std::uint64_t> counts_;
  std::int64_t messages_ = 0;
};

struct McapChannel {
  std::uint16_t id = 0;
  std::string topic, encoding;
  McapWords words;
};

/// Damaged bytes that were left out.
struct McapLoss {
  std::uint64_t byte = 0;  ///< where they begin
  Time from = 0, to = 0;   ///< stamps of the messages before and after [ns]; 0: none came
};

/// A file that was read, message by message in the order of the file.
struct McapFile {
  std::map<std::string, McapWords> metadata;
  std::map<std::uint16_t, McapChannel> channels;
  std::int64_t messages = 0;
  std::vector<McapLoss> losses;
  bool complete = false;  ///< false: the file ends before its index, as after a crash
};

/// Returns whether bytes begin like an MCAP.
[[nodiscard]] bool is_mcap(std::string_view bytes) noexcept;

/// Gets every message; false: no more.
using McapMessage = std::function<bool(const McapChannel& channel, Time t, std::string_view message)>;

/// Reads a file, or what a killed writer has left of one: all whole chunks. What is damaged is left out: a
/// chunk whose checksum does not fit, messages outside of chunks, and all up to the next sound chunk where
/// lengths are wrong. `name`: for messages. @throws FormatError for bytes that are no MCAP, compressed
/// chunks, and sound chunks whose messages are none.
McapFile read_mcap(std::string_view bytes, const std::string& name, const McapMessage& message);

}  // namespace panto::io
