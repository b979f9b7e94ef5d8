// Our own datagrams of raw sensors.

#include "tests/fuzz/datagrams.hpp"

namespace panto::fuzz {
namespace {

void check_imu_stream(Bytes bytes) { check_stream(*stream::sensor_stream("imu"), bytes); }

Seeds seeds_of_imu_stream() { return {packed_sensors("imu")}; }

const Registered imu_stream_target("imu_stream", check_imu_stream, seeds_of_imu_stream);

}  // namespace
}  // namespace panto::fuzz
