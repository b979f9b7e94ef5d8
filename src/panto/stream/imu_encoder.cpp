#include <algorithm>
#include <set>

#include "panto/base/crc32c.hpp"
#include "panto/base/error.hpp"
#include "panto/stream/byte_io.hpp"
#include "panto/stream/imu_datagram.hpp"

namespace panto::stream {
namespace {

using Bytes = std::vector<std::byte>;
using Writer = ByteWriter<std::endian::little>;

constexpr std::size_t kLengthAt = 6, kChecksumAt = 28;  // in the header
constexpr std::size_t kSmallest = 300;                  // a header and the longest name

Bytes start(ImuPacketType type, const ImuHeader& header) {
  Bytes out;
  Writer writer(out);
  writer.letters("PNTI");
  writer.word(std::uint8_t{kImuVersion});
  writer.word(static_cast<std::uint8_t>(type));
  writer.word(std::uint16_t{0});  // length: see finish
  writer.word(header.session);
  writer.word(header.seq);
  writer.word(static_cast<std::uint64_t>(header.t));
  writer.word(std::uint32_t{0});  // checksum: see finish
  return out;
}

void finish(Bytes& out) {
  Writer writer(out);
  writer.put(kLengthAt, static_cast<std::uint16_t>(out.size()));
  const std::span<const std::byte> all(out);
  writer.put(kChecksumAt, crc32c(all.subspan(kImuHeaderBytes), crc32c(all.first(kChecksumAt))));
}

Bytes reading_bytes(std::uint16_t sensor, const ImuReading& reading) {
  Bytes out;
  Writer writer(out);
  writer.word(sensor);
  writer.word(static_cast<std::uint16_t>((reading.has_gyro ? 1 : 0) | (reading.has_acc ? 2 : 0) |
                                         (reading.has_mag ? 4 : 0) | (reading.has_orientation ? 8 : 0)));
  const auto write = [&](bool has, const auto& values) {
    if (!has) return;
    for (const double value : values) writer.real32(value);
  };
  write(reading.has_gyro, reading.gyro);
  write(reading.has_acc, reading.acc);
  write(reading.has_mag, reading.mag);
  write(reading.has_orientation, reading.wxyz_GI);
  return out;
}

void check(const std::vector<std::string>& names) {
  const auto refuse = [](const std::string& why) { throw ConfigError("inertial sensors: " + why); };
  if (names.empty()) refuse("the motion has none to send");
  if (names.size() > at(kImuMaxSensors)) {
    refuse(std::to_string(names.size()) + " are too many; a stream has at most " +
           std::to_string(kImuMaxSensors));
  }
  for (const std::string& name : names) {
    if (name.empty() || name.size() > kImuMaxName) {
      refuse("the name '" + name.substr(0, 80) + "' must have 1 to 255 bytes");
    }
  }
  std::set<std::string> once(names.begin(), names.end());
  if (once.size() != names.size()) refuse("two have the same name; give each its own");
}

}  // namespace

ImuEncoder::ImuEncoder(std::vector<std::string> names, std::uint64_t session, bool alone, std::size_t largest)
    : names_(std::move(names)), alone_(alone), largest_(std::clamp(largest, kSmallest, kImuMaxBytes)) {
  check(names_);
  header_.session = session;
}

Datagrams ImuEncoder::introduction() {
  Datagrams parts;
  for (std::size_t first = 0; first < names_.size();) {
    Bytes& part = parts.emplace_back(start(ImuPacketType::Names, header_));
    Writer writer(part);
    writer.word(static_cast<std::uint16_t>(names_.size()));
    writer.word(static_cast<std::uint16_t>(first));
    const std::size_t count_at = part.size();
    writer.word(std::uint16_t{0});
    std::uint16_t count = 0;
    for (; first < names_.size() && part.size() + 1 + names_[first].size() <= largest_; ++first, ++count) {
      writer.word(static_cast<std::uint8_t>(names_[first].size()));
      writer.letters(names_[first]);
    }
    writer.put(count_at, count);
    finish(part);
  }
  return parts;
}

Datagrams ImuEncoder::encode(const ImuSample& sample) {
  header_.t = sample.t;
  Datagrams parts;
  std::uint16_t count = 0;
  const std::size_t count_at = kImuHeaderBytes + 2;
  const auto close = [&] {
    if (parts.empty()) return;
    Writer(parts.back()).put(count_at, count);
    finish(parts.back());
  };
  for (std::size_t i = 0; i < std::min(names_.size(), sample.imus.size()); ++i) {
    const ImuReading& reading = sample.imus[i];
    if (!reading.tells_motion() && !reading.has_mag) continue;
    const Bytes bytes = reading_bytes(static_cast<std::uint16_t>(i), reading);
    if (parts.empty() || alone_ || parts.back().size() + bytes.size() > largest_) {
      close();
      Writer writer(parts.emplace_back(start(ImuPacketType::Sample, header_)));
      writer.word(static_cast<std::uint16_t>(names_.size()));
      writer.word(std::uint16_t{0});
      count = 0;
    }
    Writer(parts.back()).bytes(bytes);
    ++count;
  }
  close();
  ++header_.seq;
  return parts;
}

}  // namespace panto::stream
