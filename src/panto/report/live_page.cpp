#include "panto/report/live_page.hpp"

#include "panto/evaluation/timeline.hpp"
#include "panto/io/text_lines.hpp"
#include "panto/model/state.hpp"
#include "panto/report/page_json.hpp"
#include "panto/report/plain_page.hpp"

namespace panto {

namespace {

std::string with_run(std::string_view page, const std::string& run) {
  const std::string_view around = checked_page(page);
  const std::size_t place = around.find(kReportPagePlace);
  return std::string(around.substr(0, place)) + run +
         std::string(around.substr(place + kReportPagePlace.size()));
}

}  // namespace

std::string live_run(const Model& model, const LivePageInfo& info) {
  ReportPageInfo told{info.from, "live", info.version, 0.0, 0, info.segments, {}, info.meshes};
  told.live = true;
  SegmentSample person;
  person.segments.resize(info.segments.size());
  TimelineBuilder timeline(model, {});
  timeline.add(person, rest_state(model), {});
  return report_page_json(model, {}, told, {}, timeline.timeline());
}

std::string live_page(const Model& model, const LivePageInfo& info, std::string_view page) {
  return with_run(page, live_run(model, info));
}

std::string headset_page(const LivePageInfo& info, std::string_view page) {
  return with_run(page, headset_page_json(info.from, info.version));
}

std::string waiting_page(const std::string& from) {
  return plain_page("Panto live: waiting",
                    "<h1>Waiting for the first sample</h1><p class=\"card\">Nothing has come from " +
                        io::xml_text(from) + " yet. This page shows the run as soon as something comes.</p>",
                    "<script>setTimeout(() => location.reload(), 1000)</script>");
}

}  // namespace panto
