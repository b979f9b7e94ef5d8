// Markers of OpenSim and Cortex.

#include "panto/io/keypoint_io.hpp"
#include "tests/fuzz/recordings.hpp"
#include "tests/fuzz/seeds.hpp"

namespace panto::fuzz {
namespace {

void check_trc(Bytes bytes) {
  std::istringstream stream = stream_of(bytes);
  check_clip(io::read_trc(stream, "damaged.trc"));
}

Seeds seeds_of_trc() { return {person_file("a.trc", 3)}; }

const Registered trc_target("trc", check_trc, seeds_of_trc);

}  // namespace
}  // namespace panto::fuzz
