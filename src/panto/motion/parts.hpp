#pragma once
// Parts of a clip between cuts. Used inside this module.

#include <algorithm>
#include <cstddef>
#include <vector>

namespace panto::detail {

/// Returns the number of every frame's part, from 0; `cuts` are the first frames of parts, in any order.
[[nodiscard]] inline std::vector<int> parts_between(std::size_t frames, const std::vector<int>& cuts) {
  std::vector<int> part(frames, 0);
  for (std::size_t k = 1; k < frames; ++k) {
    const bool cut = std::find(cuts.begin(), cuts.end(), static_cast<int>(k)) != cuts.end();
    part[k] = part[k - 1] + (cut ? 1 : 0);
  }
  return part;
}

}  // namespace panto::detail
