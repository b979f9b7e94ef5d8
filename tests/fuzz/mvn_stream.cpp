// The network stream of MVN.

#include "tests/fuzz/datagrams.hpp"

namespace panto::fuzz {
namespace {

void check_mvn_stream(Bytes bytes) { check_stream(*stream::person_stream("mvn"), bytes); }

Seeds seeds_of_mvn_stream() { return {packed_person("mvn")}; }

const Registered mvn_stream_target("mvn_stream", check_mvn_stream, seeds_of_mvn_stream);

}  // namespace
}  // namespace panto::fuzz
