#include "panto/evaluation/robot_figures.hpp"
#include "panto/report/json.hpp"

namespace panto {
namespace {

using report::Json;

// counts without a decimal point
Json figure_json(const std::optional<double>& value, bool whole) {
  if (!value || !std::isfinite(*value)) return nullptr;
  return whole ? Json(static_cast<std::int64_t>(*value)) : Json(*value);
}

bool is_count(const std::string& key) { return key.ends_with("_violations") || key.ends_with("_frames"); }

}  // namespace

Json report::figures_json(const RobotFigures& figures, const Model& model) {
  Json json = Json::object();
  json["frames"] = figures.frames;
  for (const ReportValue& figure : report_values(figures))
    json[figure.key] = figure.text ? Json(*figure.text) : figure_json(figure.number, is_count(figure.key));
  Json joints = Json::object(), overlaps = Json::object(), touches = Json::object();
  for (std::size_t i = 0; i < figures.joint_on_limit_share.size(); ++i) {
    const double share = figures.joint_on_limit_share[i];
    if (share > 0.0) joints[model.joint_names()[i]] = share;
  }
  for (const RobotFigures::Overlap& pair : figures.overlaps)
    overlaps[pair.name] = {{"frames", pair.frames}, {"max_mm", pair.max_mm}};
  for (const RobotFigures::Touch& line : figures.hand_body)
    touches[line.name] = {{"frames", line.frames}, {"mean_mm", line.mean_mm}, {"max_mm", line.max_mm}};
  json["hand_body"] = std::move(touches);
  json["joints_on_limit"] = std::move(joints);
  json["overlaps"] = std::move(overlaps);
  return json;
}

}  // namespace panto
