// Trackers of SlimeVR.

#include "tests/fuzz/datagrams.hpp"

namespace panto::fuzz {
namespace {

void check_slimevr_stream(Bytes bytes) { check_stream(*stream::sensor_stream("slimevr"), bytes); }

Seeds seeds_of_slimevr_stream() { return {packed_sensors("slimevr")}; }

const Registered slimevr_stream_target("slimevr_stream", check_slimevr_stream, seeds_of_slimevr_stream);

}  // namespace
}  // namespace panto::fuzz
