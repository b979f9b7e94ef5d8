#include "panto/report/robot_report.hpp"

#include <iterator>
#include <nlohmann/json.hpp>

#include "apps/panto/command_line.hpp"
#include "panto/base/text.hpp"
#include "panto/report/report_json.hpp"
#include "panto/report/robot_figures_json.hpp"
#include "panto/report/sensor_report.hpp"
#include "panto/tracking/sensed_person.hpp"

namespace panto {

std::string robot_json(const Tracking& tracking, const TrackingResult& result) {
  using Json = nlohmann::ordered_json;
  Json json = Json::parse(to_json(result.card));
  for (const ReportValue& value : report_values(result.robot->following))
    json[value.key] = value.number ? Json(*value.number) : Json(nullptr);
  json["ambiguous_starts"] = result.robot->ambiguous_starts;
  const Json figures = Json::parse(to_json(result.robot->figures, tracking.model()));
  for (const auto& [key, value] : figures.items()) {
    if (!json.contains(key)) json[key] = value;
  }
  if (tracking.scaled() != nullptr)
    json["scaling"] = Json::parse(scaling_json(*tracking.scaled(), tracking.model()));
  if (const SensedFigures* person = tracking.sensed()) {
    json["person"] = {{"model", person->model},
                      {"step_p50_us", person->step_us.percentile(0.5).value_or(0.0)},
                      {"step_p99_us", person->step_us.percentile(0.99).value_or(0.0)},
                      {"step_max_us", person->step_us.max().value_or(0.0)}};
    json["sensors"] = Json::parse(sensors_json(person->found));
    json["swapped_sensors"] = Json::parse(swapped_json(person->found));
    if (!person->found.refined.empty()) json["refined"] = Json::parse(refined_json(person->found.refined));
  }
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string page_scaling(const Tracking& tracking, const TrackingResult& result) {
  using Json = nlohmann::ordered_json;
  Json json = Json::parse(scaling_json(*tracking.scaled(), tracking.model()));
  json.erase("recorded_s");  // the page shows what was recorded beside every frame
  const RobotFigures& figures = result.robot->figures;
  json["velocity_violations"] = figures.velocity_violations;
  json["row_violations"] = figures.row_violations;
  const FollowingFigures& left = result.robot->following;
  const auto number = [](const std::optional<double>& x) { return x ? Json(*x) : Json(nullptr); };
  json["followable_mean_deg"] = number(left.followable_mean_deg);
  json["followable_max_deg"] = number(left.followable_max_deg);
  json["worst_link"] = left.worst_link;
  json["collapsed_longest_s"] = left.collapsed_longest_s;
  json["collapsed_link"] = left.collapsed_link;
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string robot_tables(const Tracking& tracking, const TrackingResult& result) {
  std::string text = format_table(result.card) + "\n" + format_table(*result.robot, tracking.model());
  if (tracking.scaled() != nullptr) text += "\n" + format_scaling(*tracking.scaled(), tracking.model());
  if (const SensedFigures* person = tracking.sensed()) {
    const auto figure = [](std::optional<double> us) { return digits(us.value_or(0.0), 3); };
    text += "\nThe person between: " + person->model + ", " +
            counted(std::ssize(person->found.sensors), "sensor") + ", step " +
            figure(person->step_us.percentile(0.5)) + " us (p50), " +
            figure(person->step_us.percentile(0.99)) + " (p99)\n";
  }
  return text;
}

}  // namespace panto
