// Writes MCAP. Records: opcode, length, content; all integers little endian.

#include <bit>
#include <cstring>

#include "panto/base/crc32c.hpp"
#include "panto/base/error.hpp"
#include "panto/io/mcap.hpp"
#include "panto/io/mcap_records.hpp"

namespace panto::io {
namespace {

using mcap::Op;

template <typename T>
void add(std::string& out, T value) {
  static_assert(std::endian::native == std::endian::little);
  char bytes[sizeof value];
  std::memcpy(bytes, &value, sizeof value);
  out.append(bytes, sizeof value);
}

void add_text(std::string& out, std::string_view text) {
  add(out, static_cast<std::uint32_t>(text.size()));
  out += text;
}

void add_words(std::string& out, const McapWords& words) {
  std::string all;
  for (const auto& [key, value] : words) {
    add_text(all, key);
    add_text(all, value);
  }
  add_text(out, all);
}

std::string record(Op op, std::string_view content) {
  std::string out;
  out.reserve(content.size() + mcap::kRecordHead);
  out += static_cast<char>(op);
  add(out, static_cast<std::uint64_t>(content.size()));
  out += content;
  return out;
}

std::uint32_t checksum(std::string_view bytes) {
  return crc32(std::as_bytes(std::span(bytes.data(), bytes.size())));
}

// offsets by channel, as a map of u16 to u64
void add_offsets(std::string& out, const std::map<std::uint16_t, std::uint64_t>& offsets) {
  std::string all;
  for (const auto& [channel, offset] : offsets) {
    add(all, channel);
    add(all, offset);
  }
  add_text(out, all);
}

}  // namespace

McapWriter::McapWriter(const Destination& to) : file_(to) {
  std::string content;
  add_text(content, "");  // no profile
  add_text(content, "panto");
  (void)put(std::string(mcap::kMagic) + record(Op::Header, content));
  file_.end_header();
}

void McapWriter::add_metadata(const std::string& name, const McapWords& words) {
  std::string content;
  add_text(content, name);
  add_words(content, words);
  const std::string bytes = record(Op::Metadata, content);
  std::string index;
  add(index, static_cast<std::uint64_t>(file_.size()));
  add(index, static_cast<std::uint64_t>(bytes.size()));
  add_text(index, name);
  metadata_index_ += record(Op::MetadataIndex, index);
  ++metadata_count_;
  (void)put(bytes);
}

std::uint16_t McapWriter::add_schema(const std::string& name, const std::string& encoding,
                                     std::string_view text) {
  std::string content;
  add(content, ++schema_count_);
  add_text(content, name);
  add_text(content, encoding);
  add_text(content, text);
  const std::string bytes = record(Op::Schema, content);
  schemas_ += bytes;
  chunk_ += bytes;
  return schema_count_;
}

std::uint16_t McapWriter::add_channel(std::uint16_t schema, const std::string& topic,
                                      const std::string& encoding, const McapWords& words) {
  std::string content;
  add(content, channel_count_);
  add(content, schema);
  add_text(content, topic);
  add_text(content, encoding);
  add_words(content, words);
  const std::string bytes = record(Op::Channel, content);
  channels_ += bytes;
  chunk_ += bytes;
  return channel_count_++;
}

bool McapWriter::write(std::uint16_t channel, Time t, std::string_view message) {
  auto& entries = entries_[channel];
  if (entries_.size() == 1 && entries.empty()) first_ = last_ = t;
  first_ = std::min(first_, t);
  last_ = std::max(last_, t);
  if (chunk_.empty()) chunk_ = channels_;  // so that each chunk can be read alone
  entries.emplace_back(t, chunk_.size());
  chunk_ += static_cast<char>(Op::Message);
  add(chunk_, static_cast<std::uint64_t>(mcap::kMessageHead + message.size()));
  add(chunk_, channel);
  add(chunk_, static_cast<std::uint32_t>(counts_[channel]++));
  add(chunk_, static_cast<std::uint64_t>(t));
  add(chunk_, static_cast<std::uint64_t>(t));
  chunk_ += message;
  ++messages_;
  return file_.good();
}

bool McapWriter::flush() {
  if (chunk_.empty()) return file_.good();
  ChunkPlace place;
  place.start = static_cast<std::uint64_t>(file_.size());
  place.size = chunk_.size();
  place.first = first_;
  place.last = last_;
  std::string content;
  add(content, static_cast<std::uint64_t>(first_));
  add(content, static_cast<std::uint64_t>(last_));
  add(content, static_cast<std::uint64_t>(chunk_.size()));
  add(content, checksum(chunk_));
  add_text(content, "");  // no compression
  add(content, static_cast<std::uint64_t>(chunk_.size()));
  content += chunk_;
  bool good = put(record(Op::Chunk, content));
  place.length = static_cast<std::uint64_t>(file_.size()) - place.start;
  for (const auto& [channel, entries] : entries_) {
    place.indices[channel] = static_cast<std::uint64_t>(file_.size());
    std::string all, index;
    for (const auto& [t, offset] : entries) {
      add(all, static_cast<std::uint64_t>(t));
      add(all, offset);
    }
    add(index, channel);
    add_text(index, all);
    good = put(record(Op::MessageIndex, index)) && good;
  }
  place.index_length = static_cast<std::uint64_t>(file_.size()) - place.start - place.length;
  places_.push_back(std::move(place));
  chunk_.clear();
  entries_.clear();
  first_ = last_ = 0;
  return file_.flush() && good;
}

void McapWriter::close() {
  (void)flush();  // `close` of the file throws a failure
  std::string end;
  add(end, std::uint32_t{0});  // no checksum of the data section: every chunk has its own
  (void)put(record(Op::DataEnd, end));
  const auto summary_start = static_cast<std::uint64_t>(file_.size());
  std::string summary, offsets, statistics;
  const auto group = [&](Op op, const std::string& records) {
    if (records.empty()) return;
    std::string offset;
    offset += static_cast<char>(op);
    add(offset, summary_start + summary.size());
    add(offset, static_cast<std::uint64_t>(records.size()));
    offsets += record(Op::SummaryOffset, offset);
    summary += records;
  };
  std::string indices;
  Time first = places_.empty() ? 0 : places_.front().first, last = 0;
  for (const ChunkPlace& place : places_) {
    first = std::min(first, place.first);
    last = std::max(last, place.last);
    std::string index;
    for (const auto value : {static_cast<std::uint64_t>(place.first), static_cast<std::uint64_t>(place.last),
                             place.start, place.length})
      add(index, value);
    add_offsets(index, place.indices);
    add(index, place.index_length);
    add_text(index, "");
    add(index, place.size);
    add(index, place.size);
    indices += record(Op::ChunkIndex, index);
  }
  add(statistics, static_cast<std::uint64_t>(messages_));
  add(statistics, schema_count_);
  add(statistics, static_cast<std::uint32_t>(channel_count_));
  add(statistics, std::uint32_t{0});  // attachments
  add(statistics, metadata_count_);
  add(statistics, static_cast<std::uint32_t>(places_.size()));
  add(statistics, static_cast<std::uint64_t>(first));
  add(statistics, static_cast<std::uint64_t>(last));
  add_offsets(statistics, counts_);
  group(Op::Schema, schemas_);
  group(Op::Channel, channels_);
  group(Op::Statistics, record(Op::Statistics, statistics));
  group(Op::ChunkIndex, indices);
  group(Op::MetadataIndex, metadata_index_);
  std::string footer;
  add(footer, summary_start);
  add(footer, summary_start + summary.size());
  // the checksum covers the summary and the footer up to itself
  std::string covered = summary + offsets;
  covered += static_cast<char>(Op::Footer);
  add(covered, static_cast<std::uint64_t>(footer.size() + sizeof(std::uint32_t)));
  covered += footer;
  add(footer, checksum(covered));
  (void)put(summary + offsets + record(Op::Footer, footer) + std::string(mcap::kMagic));
  file_.close();
}

}  // namespace panto::io
