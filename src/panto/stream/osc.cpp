#include "panto/stream/osc.hpp"

#include <algorithm>
#include <utility>

#include "panto/stream/byte_io.hpp"

namespace panto::stream {
namespace {

using Reader = ByteReader<std::endian::big>;
using Writer = ByteWriter<std::endian::big>;
using Bytes = std::span<const std::byte>;

constexpr std::string_view kBundle("#bundle\0", 8);

std::string_view letters_of(Bytes bytes) noexcept {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// The padding may hold anything, and may be missing at the end: senders differ.
void skip(Bytes& bytes, std::size_t count) noexcept {
  bytes = bytes.subspan(std::min(bytes.size(), (count + 3) / 4 * 4));
}

bool take_text(Bytes& bytes, std::string_view& text) noexcept {
  const std::string_view all = letters_of(bytes);
  const std::size_t end = all.find('\0');
  if (end == std::string_view::npos) return false;
  text = all.substr(0, end);
  skip(bytes, end + 1);
  return true;
}

bool take_blob(Bytes& bytes, Bytes& blob) noexcept {
  Reader reader(bytes);
  const auto size = reader.word<std::uint32_t>();
  if (!reader.ok() || size > reader.left()) return false;
  blob = reader.bytes(size);
  skip(bytes, sizeof(size) + size);
  return true;
}

bool take_number(Bytes& bytes, OscArgument& argument) noexcept {
  Reader reader(bytes);
  if (argument.tag == 'i') argument.integer = static_cast<std::int32_t>(reader.word<std::uint32_t>());
  if (argument.tag == 'h') argument.integer = static_cast<std::int64_t>(reader.word<std::uint64_t>());
  if (argument.tag == 'f') argument.real = static_cast<double>(reader.real32());
  if (argument.tag == 'd') argument.real = reader.real64();
  bytes = bytes.last(reader.left());
  return reader.ok();
}

bool known(char tag) noexcept { return std::string_view("ifshdbTFNI").find(tag) != std::string_view::npos; }

bool take_argument(char tag, Bytes& bytes, OscArgument& argument) noexcept {
  argument = {.tag = tag, .integer = tag == 'T' ? 1 : 0};
  if (tag == 's') return take_text(bytes, argument.text);
  if (tag == 'b') return take_blob(bytes, argument.blob);
  return take_number(bytes, argument);
}

void write_padding(std::vector<std::byte>& out, std::size_t start) {
  out.resize(start + (out.size() - start + 3) / 4 * 4);
}

void write_text(std::vector<std::byte>& out, std::string_view text) {
  const std::size_t start = out.size();
  Writer(out).letters(text.substr(0, text.find('\0')));
  out.push_back(std::byte{0});
  write_padding(out, start);
}

void write_argument(std::vector<std::byte>& out, const OscArgument& argument) {
  Writer writer(out);
  if (argument.tag == 'i') writer.word(static_cast<std::uint32_t>(argument.integer));
  if (argument.tag == 'h') writer.word(static_cast<std::uint64_t>(argument.integer));
  if (argument.tag == 'f') writer.real32(argument.real);
  if (argument.tag == 'd') writer.real64(argument.real);
  if (argument.tag == 's') write_text(out, argument.text);
  if (argument.tag == 'b') {
    const std::size_t start = out.size();
    writer.word(static_cast<std::uint32_t>(argument.blob.size()));
    writer.bytes(argument.blob);
    write_padding(out, start);
  }
}

}  // namespace

bool OscMessage::next(OscArgument& argument) noexcept {
  if (tags_.empty()) return false;
  const char tag = tags_.front();
  tags_.remove_prefix(1);
  return take_argument(tag, values_, argument);
}

OscReader::OscReader(Bytes packet) noexcept {
  if (letters_of(packet).starts_with(kBundle)) {
    damaged_ = !open(packet);
  } else {
    single_ = packet;
    damaged_ = packet.empty();
  }
}

bool OscReader::open(Bytes bundle) noexcept {
  if (bundle.size() < kOscBundleHeadBytes || depth_ == kOscMaxDepth) return false;
  open_[depth_++] = bundle.subspan(kOscBundleHeadBytes);
  return true;
}

OscReader::Read OscReader::read(Bytes element, OscMessage& message) noexcept {
  if (!take_text(element, message.address_) || !message.address_.starts_with('/')) return Read::Damaged;
  message.tags_ = {};
  message.values_ = {};
  if (element.empty()) return Read::Message;
  if (element.front() != std::byte{','}) return Read::LeftOut;
  if (!take_text(element, message.tags_)) return Read::Damaged;
  message.tags_.remove_prefix(1);
  message.values_ = element;
  if (!std::all_of(message.tags_.begin(), message.tags_.end(), known)) return Read::LeftOut;
  OscArgument unused;
  for (const char tag : message.tags_) {
    if (!take_argument(tag, element, unused)) return Read::Damaged;
  }
  return Read::Message;
}

bool OscReader::next(OscMessage& message) noexcept {
  while (!damaged_ && (depth_ > 0 || !single_.empty())) {
    Bytes element = std::exchange(single_, {});
    if (element.empty()) {
      Bytes& rest = open_[depth_ - 1];
      if (rest.empty()) {
        --depth_;
        continue;
      }
      Reader reader(rest);
      const auto size = reader.word<std::uint32_t>();
      damaged_ = !reader.ok() || size == 0 || size > reader.left();
      if (damaged_) break;
      element = reader.bytes(size);
      rest = rest.last(reader.left());
    }
    if (letters_of(element).starts_with(kBundle)) {
      damaged_ = !open(element);
      continue;
    }
    const Read found = read(element, message);
    if (found == Read::Message) return true;
    if (found == Read::LeftOut) ++left_out_;
    damaged_ = found == Read::Damaged;
  }
  return false;
}

bool osc_is_whole(Bytes packet) noexcept {
  OscReader reader(packet);
  OscMessage message;
  while (reader.next(message)) {
  }
  return !reader.damaged();
}

std::vector<std::byte> osc_message(std::string_view address, std::span<const OscArgument> arguments) {
  std::vector<std::byte> out;
  write_text(out, address);
  const std::size_t start = out.size();
  out.push_back(std::byte{','});
  for (const OscArgument& argument : arguments) out.push_back(static_cast<std::byte>(argument.tag));
  out.push_back(std::byte{0});
  write_padding(out, start);
  for (const OscArgument& argument : arguments) write_argument(out, argument);
  return out;
}

std::vector<std::byte> osc_bundle(std::uint64_t time_tag) {
  std::vector<std::byte> out;
  Writer writer(out);
  writer.letters(kBundle);
  writer.word(time_tag);
  return out;
}

void osc_append(std::vector<std::byte>& bundle, Bytes element) {
  Writer writer(bundle);
  writer.word(static_cast<std::uint32_t>(element.size()));
  writer.bytes(element);
}

}  // namespace panto::stream
