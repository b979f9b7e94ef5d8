#include "panto/report/report.hpp"

#include "panto/report/card_json.hpp"
#include "panto/report/json.hpp"
#include "panto/report/robot_report.hpp"
#include "panto/report/sensor_report.hpp"
#include "panto/report/tables.hpp"

namespace panto {
namespace {

RobotReport report_of(const RetargetResult& result, const Model& robot) {
  static const RecordingInfo unknown;  // the page alone shows what it says
  return {robot, unknown, result, nullptr};
}

}  // namespace

std::string to_text(const TrackResult& result, const Model&) { return format_table(result.card); }

std::string to_json(const TrackResult& result, const Model&) { return to_json(result); }

std::string to_text(const RetargetResult& result, const Model& robot) {
  return robot_tables(report_of(result, robot));
}

report::Json report::result_json(const RetargetResult& result, const Model& robot) {
  return run_json(report_of(result, robot));
}

std::string to_json(const RetargetResult& result, const Model& robot) {
  return report::dumped(report::result_json(result, robot));
}

std::string to_text(const SensorTrackResult& result, const Model& model) {
  return format_table(result.card, known_table(result.found, result.known, model)) + "\n" +
         sensor_table(result.found) + (result.smoothed ? smoothing_line(*result.smoothed) + "\n" : "");
}

}  // namespace panto
