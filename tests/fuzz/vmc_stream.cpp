// The VMC protocol.

#include "tests/fuzz/datagrams.hpp"

namespace panto::fuzz {
namespace {

void check_vmc_stream(Bytes bytes) { check_stream(*stream::person_stream("vmc"), bytes); }

Seeds seeds_of_vmc_stream() { return {packed_person("vmc")}; }

const Registered vmc_stream_target("vmc_stream", check_vmc_stream, seeds_of_vmc_stream);

}  // namespace
}  // namespace panto::fuzz
