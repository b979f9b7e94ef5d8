#pragma once
// Says where a two-way pass left the forward motion, and where it found no better way.

#include <string>
#include <vector>

#include "panto/tracking/two_way_tracker.hpp"

namespace panto {

/// Returns notes for people, in seconds of the recording; none for a forward motion that is never stuck.
[[nodiscard]] std::vector<std::string> two_way_notes(const TwoWayTracker& tracker, const Model& model);

/// Returns "at 1.5, 2.25, 3, 4 s and 2 more moments", in order.
[[nodiscard]] std::string at_moments(std::vector<Time> moments);

}  // namespace panto
