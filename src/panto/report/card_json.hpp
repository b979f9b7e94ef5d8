#pragma once

#include <string>

#include "panto/api/track.hpp"

namespace panto {

/// One JSON object with every key of ReportCard in its order. What is not known, and any number that is not
/// finite, is null; `status_counts` is an object by status name, `state_hash` a string of 16 hexadecimal
/// digits (JSON numbers cannot hold it).
[[nodiscard]] std::string to_json(const ReportCard& card);
/// Writes the same of a recording that was tracked, and "verdict".
[[nodiscard]] std::string to_json(const TrackResult& result);

}  // namespace panto
