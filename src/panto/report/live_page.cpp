#include "panto/report/live_page.hpp"

#include "panto/base/index.hpp"
#include "panto/evaluation/timeline.hpp"
#include "panto/model/state.hpp"
#include "panto/report/page_json.hpp"

namespace panto {

std::string live_page(const Model& model, const LivePageInfo& info, std::string_view page) {
  const std::string_view around = checked_page(page);
  ReportPageInfo told{info.from, "live", info.version, 0.0, 0, info.segments, {}, info.meshes};
  told.live = true;
  SegmentSample person;
  person.segments.resize(info.segments.size());
  TimelineBuilder timeline(model, {});
  timeline.add(person, rest_state(model), {});
  const std::string run = report_page_json(model, {}, told, {}, timeline.timeline());
  const std::size_t place = around.find(kReportPagePlace);
  return std::string(around.substr(0, place)) + run +
         std::string(around.substr(place + kReportPagePlace.size()));
}

}  // namespace panto
