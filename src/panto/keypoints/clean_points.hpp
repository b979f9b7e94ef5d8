#pragma once
// Cleans the points of a whole clip before a body is found in them: faults, gaps, jitter.

#include <string>
#include <vector>

#include "panto/keypoints/point_faults.hpp"
#include "panto/sample/keypoint_sample.hpp"

namespace panto::keypoints {

/// What was done to a clip. Points are columns of the clip.
struct CleanReport {
  std::vector<PointSpan> frozen;     ///< taken as not seen
  std::vector<PointSpan> exchanged;  ///< exchanged back
  std::vector<PointSpan> stray;      ///< single positions taken as not seen
  std::vector<PointSpan> long_gaps;  ///< longer than 0.2 s
  std::int64_t bridged = 0;          ///< positions in gaps up to 0.2 s
  std::int64_t guessed = 0;          ///< positions in longer gaps, from the point's neighbours
  std::vector<int> filtered;         ///< points with noise
  double noise = 0.0;                ///< of the filtered points, median [m]
  double lowest_cutoff_hz = 0.0, highest_cutoff_hz = 0.0;
  std::vector<std::string> notes;  ///< the same in words, one sentence each
};

/// Cleans the points of a clip that have a body's names (docs/algorithms/keypoints.md): frozen and exchanged
/// points, gaps, jitter; bones keep their lengths. Points that are quiet and seen keep their bits. Linear in
/// time and memory.
[[nodiscard]] CleanReport clean_points(KeypointClip& clip, PointCleaning cleaning);

/// Refuses a clip whose points lie in one plane over all frames, as those of a video from one side do.
/// @throws FormatError "<clip.name>: ...", with the remedy.
void check_depth(const KeypointClip& clip);

}  // namespace panto::keypoints
