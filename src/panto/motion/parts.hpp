#pragma once
// Parts of a clip between cuts. Used inside this module.

#include <cstddef>
#include <numeric>
#include <vector>

namespace panto::detail {

/// Frames that a window of seconds holds on either side at most: a wrong rate must not make a pass cost the
/// square of the frames. 1 s at 2000 Hz.
inline constexpr int kMostNear = 2000;

/// Returns the number of every frame's part, from 0; `cuts` are the first frames of parts, in any order.
[[nodiscard]] inline std::vector<int> parts_between(std::size_t frames, const std::vector<int>& cuts) {
  std::vector<int> part(frames, 0);
  for (const int cut : cuts)
    if (cut > 0 && static_cast<std::size_t>(cut) < frames) part[static_cast<std::size_t>(cut)] = 1;
  std::partial_sum(part.begin(), part.end(), part.begin());
  return part;
}

}  // namespace panto::detail
