#pragma once
// What the page reads of a run.

#include <string>
#include <vector>

#include "panto/report/page.hpp"

namespace panto {

struct Timeline;

/// The run as the JSON text that the page reads: docs/formats/report_page.md. No '<' is in it, so that no
/// text of a recording can end the script element that holds it; bytes that are no UTF-8 become U+FFFD.
[[nodiscard]] std::string report_page_json(const Model& model, const std::vector<TrackedPair>& pairs,
                                           const ReportPageInfo& info, const ReportPageResult& result,
                                           const Timeline& timeline);

/// What a headset's page reads in place of a run; as above.
[[nodiscard]] std::string headset_page_json(const std::string& from, const std::string& version);

}  // namespace panto
