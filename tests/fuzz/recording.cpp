// A recording of any format, told from its bytes and its name.

#include "panto/io/open_recording.hpp"

#include <array>

#include "tests/fuzz/recordings.hpp"
#include "tests/fuzz/seeds.hpp"
#include "tests/support/mvnx_samples.hpp"

namespace panto::fuzz {
namespace {

constexpr std::array kRecordingNames{"a.bvh", "a.mvnx", "a.csv", "a.npz",  "a.trc",
                                     "a.sto", "a.mot",  "a.glb", "a.json", "a.npy"};

void check_any_recording(Bytes bytes) {
  Draws draws(bytes);
  const char* const name = kRecordingNames.at(draws.below(kRecordingNames.size()));
  const std::unique_ptr<Recording> recording = io::open_recording(std::string(text_of(draws.rest())), name);
  check_recording(*recording);
  recording->rewind();
  SegmentSample sample;
  (void)recording->read(sample);
}

std::string named(char name, const std::string& content) { return std::string(1, name) += content; }

Seeds seeds_of_recordings() {
  const Model human = human66(scaled_subject(1.75));
  const Motion motion = few_states(human, 4);
  return {named(0, example("walk.bvh", 165)),
          named(1, test::mvnx_text({.frames = 2})),
          named(2, person_file("a.csv", 4)),
          named(2, io::motion_bytes(motion, human, "a.csv")),
          named(3, person_file("a.npz", 4)),
          named(3, io::motion_bytes(motion, human, "a.npz")),
          named(4, person_file("a.trc", 4)),
          named(5, person_file("a.sto", 4)),
          named(6, io::motion_bytes(motion, human, "a.mot"))};
}

const Registered recording_target("recording", check_any_recording, seeds_of_recordings);

}  // namespace
}  // namespace panto::fuzz
