#pragma once
// Inspections in words and as JSON.

#include <string>

#include "panto/api/inspect.hpp"
#include "panto/api/inspect_imu.hpp"

namespace panto {

/// Writes an inspection for people without its verdict, at most 80 columns wide.
[[nodiscard]] std::string to_text(const Inspection& inspection);
/// Writes what is odd about a recording and the notes of its reader; empty where there are none.
[[nodiscard]] std::string findings_text(const Inspection& inspection);
[[nodiscard]] std::string findings_text(const ImuInspection& inspection);
/// Writes an inspection as one JSON object; keys: docs/formats/inspect_json.md.
[[nodiscard]] std::string to_json(const Inspection& inspection);

/// Writes an inspection of raw sensors for people without its verdict, at most 80 columns wide.
[[nodiscard]] std::string to_text(const ImuInspection& inspection);
/// Writes an inspection of raw sensors as one JSON object; keys: docs/formats/inspect_json.md.
[[nodiscard]] std::string to_json(const ImuInspection& inspection);

}  // namespace panto
