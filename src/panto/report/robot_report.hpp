#pragma once
// What a run of a robot says: one text and one JSON object for `retarget` and `imitate`.

#include <string>

#include "apps/panto/tracking.hpp"

namespace panto {

/// The report card's keys, then those of robots, then what was scaled; one line.
[[nodiscard]] std::string robot_json(const Tracking& tracking, const TrackingResult& result);

/// What the page says of the scaling: a JSON object, for a run that was scaled.
[[nodiscard]] std::string page_scaling(const Tracking& tracking, const TrackingResult& result);

/// The tables, without the files that were written.
[[nodiscard]] std::string robot_tables(const Tracking& tracking, const TrackingResult& result);

}  // namespace panto
