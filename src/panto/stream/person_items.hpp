#pragma once
// What encoders of persons ask of the segments that they are given.

#include <array>
#include <string>
#include <vector>

#include "panto/base/error.hpp"
#include "panto/base/index.hpp"
#include "panto/model/human.hpp"

namespace panto::stream {

using PersonItems = std::array<int, at(kHumanSegmentCount)>;

/// Returns where each of the human's segments is among `names`, -1: nowhere. @throws ConfigError, which names
/// the protocol, when the Pelvis or T8 is missing.
[[nodiscard]] inline PersonItems person_items(const std::vector<std::string>& names,
                                              const std::string& protocol) {
  PersonItems items;
  items.fill(-1);
  for (std::size_t i = 0; i < names.size(); ++i) {
    const int segment = find_human_segment(names[i]);
    if (segment >= 0) items[at(segment)] = static_cast<int>(i);
  }
  for (const int needed : {HumanSegment::Pelvis, HumanSegment::T8}) {
    if (items[at(needed)] < 0) {
      throw ConfigError(protocol + ": the motion has no segment '" +
                        std::string(kHumanSegmentNames[at(needed)]) + "'; give one of a whole person");
    }
  }
  return items;
}

/// Returns the height of the pelvis when the person stands [m].
[[nodiscard]] inline double standing_height(const SubjectDimensions& person) noexcept {
  double height = 0.0;
  for (int up = HumanSegment::LeftToe; up > 0; up = kHumanSegmentParent[at(up)])
    height -= person.origin[at(up)].z();
  return height;
}

}  // namespace panto::stream
