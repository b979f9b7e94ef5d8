#pragma once
// The JSON form of a report as a list of figures.

#include <string>
#include <string_view>
#include <vector>

#include "panto/evaluation/thresholds.hpp"

namespace panto {

/// All numbers and texts of one JSON object, in its order, by their path: "status_counts.solved",
/// "fallback_counts[0]"; null is an unknown figure, true and false are texts. Messages name the
/// JSON as `name`.
/// @throws FormatError ("name:line:column: ...") for text that is not JSON; for anything but one object, one
/// nested deeper than 16, keys longer than 100 bytes, or more than 20000 figures.
[[nodiscard]] std::vector<ReportValue> parse_report_values(std::string_view json, const std::string& name);

/// The same from a file of at most 64 MiB. @throws FormatError also when it cannot be read.
[[nodiscard]] std::vector<ReportValue> read_report_values(const std::string& path);

}  // namespace panto
