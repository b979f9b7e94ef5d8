#include "apps/panto/robot_report.hpp"

#include <nlohmann/json.hpp>

#include "panto/io/report_json.hpp"
#include "panto/io/robot_figures_json.hpp"

namespace panto::app {

std::string robot_json(const Tracking& tracking, const TrackingResult& result) {
  using Json = nlohmann::ordered_json;
  Json json = Json::parse(io::to_json(result.card));
  for (const ReportValue& value : report_values(result.robot->following))
    json[value.key] = value.number ? Json(*value.number) : Json(nullptr);
  json["ambiguous_starts"] = result.robot->ambiguous_starts;
  const Json figures = Json::parse(io::to_json(result.robot->figures, tracking.model()));
  for (const auto& [key, value] : figures.items()) {
    if (!json.contains(key)) json[key] = value;
  }
  if (tracking.scaled() != nullptr)
    json["scaling"] = Json::parse(scaling_json(*tracking.scaled(), tracking.model()));
  return json.dump();
}

std::string robot_tables(const Tracking& tracking, const TrackingResult& result) {
  std::string text = format_table(result.card) + "\n" + format_table(*result.robot, tracking.model());
  if (tracking.scaled() != nullptr) text += "\n" + format_scaling(*tracking.scaled(), tracking.model());
  return text;
}

}  // namespace panto::app
