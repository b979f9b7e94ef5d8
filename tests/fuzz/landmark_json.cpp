// Landmarks in JSON, whatever they lie in.

#include "panto/io/landmarks.hpp"
#include "tests/fuzz/recordings.hpp"
#include "tests/fuzz/seeds.hpp"

namespace panto::fuzz {
namespace {

void check_landmarks(Bytes bytes) {
  (void)io::is_landmark_json(text_of(bytes));
  check_clip(io::read_landmark_json(text_of(bytes), "damaged.json"));
}

Seeds seeds_of_landmarks() {
  return {
      R"({"keypoint_names": ["nose", "left_hip", "right_hip", "left_knee", "right_knee"], "frames":
         [{"frame": 0, "people": [{"keypoints": [[0, 1, 2], [1, 1, 2], [2, 1, 3], [3, 1, 2], [4, 1, 5]]}]},
          {"frame": 1, "people": [{"keypoints": [[0, 1, 2], [1, 1, 2], [2, 1, 3], [3, 1, 2], [4, 2, 5]]}]}]})",
      R"({"fps": 50, "keypoint_names": ["nose", "left_hip", "right_hip", "left_knee", "right_knee"],
          "frames": [[[0, 1, 2], [1, 1, 2], [2, 1, 3], [3, 1, 2], [4, 1, 5]],
                     [[0, 1, 2], [1, 1, 2], [2, 1, 3], [3, 1, 2], [4, 3, 5]]]})"};
}

const Registered landmarks_target("landmark_json", check_landmarks, seeds_of_landmarks);

}  // namespace
}  // namespace panto::fuzz
