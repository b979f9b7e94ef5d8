#pragma once
// How a live run went, in words and as JSON.

#include <string>

#include "panto/report/report.hpp"
#include "panto/tracking/live_figures.hpp"

namespace panto {

/// Returns the verdict on a live run: on what arrived, and whether this computer kept up.
[[nodiscard]] Verdict verdict_of(const LiveFigures& run);

/// Returns all figures and the verdict as one line of JSON: `samples`, `seconds`, `rate_hz`, counts by their
/// names in `LiveFigures`, `pose_median_ms`, `pose_p99_ms`, `pose_max_ms`, the same of `output`, `missing`,
/// `verdict`.
[[nodiscard]] std::string live_json(const LiveFigures& run);

}  // namespace panto
