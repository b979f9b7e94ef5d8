// Tables of points and orientations, and the person that they are of.

#include "panto/io/keypoint_io.hpp"
#include "panto/io/recording_formats.hpp"
#include "tests/fuzz/recordings.hpp"
#include "tests/fuzz/seeds.hpp"

namespace panto::fuzz {
namespace {

void check_point_table(Bytes bytes) {
  (void)io::is_keypoint_csv(text_of(bytes));
  std::istringstream stream = stream_of(bytes);
  KeypointClip clip = io::read_keypoint_csv(stream, "damaged.csv");
  check_clip(clip);
  if (clip.points() <= 100 && clip.frames() <= 100)
    check_recording(*io::open_keypoints(std::move(clip), "csv"));
}

Seeds seeds_of_point_tables() { return {person_file("a.csv", 4)}; }

const Registered point_table_target("points_csv", check_point_table, seeds_of_point_tables);

}  // namespace
}  // namespace panto::fuzz
