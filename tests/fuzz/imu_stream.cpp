// Our own datagrams of raw sensors.

#include "panto/base/crc32c.hpp"
#include "panto/stream/byte_io.hpp"
#include "panto/stream/imu_datagram.hpp"
#include "tests/fuzz/datagrams.hpp"

namespace panto::fuzz {
namespace {

// length and checksum of the header (docs/formats/imu_stream.md)
void mend_sensors(std::vector<std::byte>& datagram) {
  constexpr std::size_t kLengthAt = 6, kChecksumAt = 28;
  if (datagram.size() < stream::kImuHeaderBytes) return;
  stream::ByteWriter<std::endian::little> writer(datagram);
  writer.put(kLengthAt, static_cast<std::uint16_t>(datagram.size()));
  const std::span<const std::byte> bytes = datagram;
  writer.put(kChecksumAt, crc32c(bytes.subspan(stream::kImuHeaderBytes), crc32c(bytes.first(kChecksumAt))));
}

void check_imu_stream(Bytes bytes) { check_stream(*stream::sensor_stream("imu"), bytes, mend_sensors); }

Seeds seeds_of_imu_stream() { return {packed_sensors("imu")}; }

const Registered imu_stream_target("imu_stream", check_imu_stream, seeds_of_imu_stream);

}  // namespace
}  // namespace panto::fuzz
