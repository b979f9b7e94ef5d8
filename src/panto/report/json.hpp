#pragma once
// Results as JSON values, for the sources of this room; users get texts. Not installed.

#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "panto/base/printable.hpp"
#include "panto/report/page.hpp"
#include "panto/report/report.hpp"

namespace panto {
struct RobotReport;
}

namespace panto::report {

using Json = nlohmann::ordered_json;

/// Returns a number; null where it is not known or not finite.
[[nodiscard]] inline Json number(const std::optional<double>& value) {
  return value && std::isfinite(*value) ? Json(*value) : Json(nullptr);
}

/// Writes JSON on one line; bytes that are no UTF-8 become U+FFFD, and what a terminal obeys is escaped.
[[nodiscard]] inline std::string dumped(const Json& json) {
  return printable_json(json.dump(-1, ' ', false, Json::error_handler_t::replace));
}

/// Returns {"grade", "text"}.
[[nodiscard]] Json verdict_value(const Verdict& verdict);

/// Returns the object that `to_json(card)` writes.
[[nodiscard]] Json card_json(const ReportCard& card);
/// Returns the figures of a robot's motion as an object, keys as documented for RobotFigures; what is not
/// known is null. `joints_on_limit` holds the shares of joints that ever are on a limit by name, `overlaps`
/// the pairs that do as {name: {frames, max_mm}}.
[[nodiscard]] Json figures_json(const RobotFigures& figures, const Model& model);

/// Return the objects that `robot_json` and `to_json(result, robot)` write.
[[nodiscard]] Json run_json(const RobotReport& run);
[[nodiscard]] Json result_json(const RetargetResult& result, const Model& robot);
/// Lists the figures of an object as `parse_report_values` reads them from its text.
[[nodiscard]] std::vector<ReportValue> values_of(const Json& object);

/// Returns what scaling did to a motion as an object.
[[nodiscard]] Json scaling_value(const ScalingReport& scaling, const Model& robot);
/// Return how each sensor agreed and which pairs may be swapped, as arrays, and what was learnt of a body:
/// {"places": [...], "lengths": [...]}.
[[nodiscard]] Json sensors_value(const SensorFindings& found);
[[nodiscard]] Json swapped_value(const SensorFindings& found);
[[nodiscard]] Json refined_value(const RefinedBody& body);

/// Return what the page gets of a gesture, of scaling and of raw sensors.
[[nodiscard]] Json page_value(const PageGesture& gesture);
[[nodiscard]] Json page_value(const PageScaling& scaling, const Model& robot);
[[nodiscard]] Json page_value(const PageSensors& sensors, const Model& model);

}  // namespace panto::report
