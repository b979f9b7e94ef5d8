// Words of thresholds and of hints on a motion's layout, and addresses: what users and scripts type.

#include "panto/evaluation/thresholds.hpp"

#include "panto/io/tell_motion.hpp"
#include "panto/live/address.hpp"
#include "tests/fuzz/seeds.hpp"

namespace panto::fuzz {
namespace {

void check_words(Bytes bytes) {
  Draws draws(bytes);
  const std::size_t kind = draws.below(4);
  const std::string words(text_of(draws.rest()));
  if (kind == 0) {
    (void)parse_thresholds(words);
  } else if (kind == 1) {
    const io::MotionHints hints = io::parse_motion_hints(words);
    promise(!hints.rate_hz || *hints.rate_hz > 0.0, "a rate is > 0");
  } else if (kind == 2) {
    promise(live::parse_link_address(words).at.host.size() <= words.size(), "a host is part of its address");
  } else {
    (void)live::parse_stream_address(words, {{"mvn", 9763}, {"imu", 9764}});
  }
}

std::string phrase(char kind, const char* words) { return std::string(1, kind) += words; }

Seeds seeds_of_words() {
  return {phrase(0, "mnte_mean<0.1"), phrase(1, "isaac-order,wxyz,degrees,cm,z-up,50hz"),
          phrase(2, "udp://[::1]:7000?key=/tmp/key"), phrase(3, "mvn://0.0.0.0:9763"), phrase(3, "imu://")};
}

const Registered words_target("words", check_words, seeds_of_words);

}  // namespace
}  // namespace panto::fuzz
