#pragma once
// Inspections in words and as JSON.

#include <string>

#include "panto/api/inspect.hpp"
#include "panto/api/inspect_imu.hpp"

namespace panto {

/// Writes an inspection for people, at most 80 columns wide.
[[nodiscard]] std::string to_text(const Inspection& inspection);
/// Writes an inspection as one JSON object; keys: docs/formats/inspect_json.md.
[[nodiscard]] std::string to_json(const Inspection& inspection);

/// Writes an inspection of raw sensors for people, at most 80 columns wide.
[[nodiscard]] std::string to_text(const ImuInspection& inspection);
/// Writes an inspection of raw sensors as one JSON object; keys: docs/formats/inspect_json.md.
[[nodiscard]] std::string to_json(const ImuInspection& inspection);

}  // namespace panto
