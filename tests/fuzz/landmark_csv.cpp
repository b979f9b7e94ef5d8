// Tables of landmarks that cameras saw.

#include <array>

#include "panto/io/landmarks.hpp"
#include "tests/fuzz/recordings.hpp"
#include "tests/fuzz/seeds.hpp"

namespace panto::fuzz {
namespace {

void check_landmark_table(Bytes bytes) {
  (void)io::is_landmark_csv(text_of(bytes));
  std::istringstream stream = stream_of(bytes);
  check_clip(io::read_landmark_csv(stream, "damaged.csv"));
}

// rows of one landmark each, and rows of a frame each
Seeds seeds_of_landmark_tables() {
  std::string tall = "frame,landmark,x,y,z,visibility\n";
  for (int frame = 0; frame < 3; ++frame) {
    for (int i = 0; i < 33; ++i)
      tall += std::to_string(frame) + "," + std::to_string(i) + ",0." + std::to_string(i + 10) + ",0.5,0." +
              std::to_string(99 - i) + ",1\n";
  }
  return {tall};
}

const Registered landmark_table_target("landmark_csv", check_landmark_table, seeds_of_landmark_tables);

}  // namespace
}  // namespace panto::fuzz
