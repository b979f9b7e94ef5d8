#include "panto/model/human.hpp"

#include <algorithm>

namespace panto {

const std::vector<std::string>& human_segment_names() {
  static const std::vector<std::string> names(kHumanSegmentNames.begin(), kHumanSegmentNames.end());
  return names;
}

int find_human_segment(std::string_view name) noexcept {
  const auto found = std::find(kHumanSegmentNames.begin(), kHumanSegmentNames.end(), name);
  return found == kHumanSegmentNames.end() ? -1 : static_cast<int>(found - kHumanSegmentNames.begin());
}

}  // namespace panto
