// Noitom's BVH broadcast.

#include "tests/fuzz/datagrams.hpp"

namespace panto::fuzz {
namespace {

void check_bvh_stream(Bytes bytes) { check_stream(*stream::person_stream("bvh+udp"), bytes); }

Seeds seeds_of_bvh_stream() { return {packed_person("bvh+udp")}; }

const Registered bvh_stream_target("bvh_stream", check_bvh_stream, seeds_of_bvh_stream);

}  // namespace
}  // namespace panto::fuzz
