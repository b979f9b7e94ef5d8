#pragma once
// The page of a live run: the report page with the model in one pose. It gets its frames from its server.

#include <string>
#include <string_view>
#include <vector>

#include "panto/io/open_model.hpp"
#include "panto/report/page.hpp"

namespace panto {

struct LivePageInfo {
  std::string from;                   ///< where the samples come from, "mvn://"
  std::string version;                ///< of Panto
  std::vector<std::string> segments;  ///< names of the person's
  std::vector<io::LinkMesh> meshes;   ///< shapes of the model's links, as in `ReportPageInfo`
};

/// Returns the run that the page gets: a JSON object with the model in one pose.
[[nodiscard]] std::string live_run(const Model& model, const LivePageInfo& info);

/// Returns the page (docs/formats/report_page.md, key `live`). @throws Error when this program has no page
/// inside, saying what to install.
[[nodiscard]] std::string live_page(const Model& model, const LivePageInfo& info,
                                    std::string_view page = report_page_template());

/// Returns the page that a headset opens, which asks for the run later (docs/formats/report_page.md, key
/// `headset`). @throws as `live_page`.
[[nodiscard]] std::string headset_page(const LivePageInfo& info,
                                       std::string_view page = report_page_template());

/// Returns the page to show before the first sample. It reloads itself every second.
[[nodiscard]] std::string waiting_page(const std::string& from);

}  // namespace panto
