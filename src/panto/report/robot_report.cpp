#include "panto/report/robot_report.hpp"

#include <fmt/core.h>

#include <iterator>
#include <utility>

#include "panto/base/text.hpp"
#include "panto/evaluation/metrics.hpp"
#include "panto/report/json.hpp"
#include "panto/report/judgement.hpp"
#include "panto/report/scaling_report.hpp"
#include "panto/report/sensor_report.hpp"
#include "panto/report/shared_names.hpp"
#include "panto/report/table_text.hpp"
#include "panto/report/tables.hpp"
#include "panto/tracking/sensed_person.hpp"

namespace panto {
namespace {

using report::Json;
using report::number;

std::string verdict_table(const RetargetResult& result, const Model& model) {
  const FollowingFigures& f = result.following;
  const auto degrees = [](const std::optional<double>& x) {
    return table::number(x, table::kDegreeRounding);
  };
  std::string text = table::row("", {"mean", "p99", "max"}, "");
  text += table::row(
      "error where it can follow",
      {degrees(f.followable_mean_deg), degrees(f.followable_p99_deg), degrees(f.followable_max_deg)}, "deg");
  text += f.collapsed_link.empty()
              ? table::row("a link over 90 deg off", {"never"}, "")
              : table::row("a link over 90 deg off", {table::number(f.collapsed_longest_s)},
                           "s at most, " + f.collapsed_link);
  text += table::row("ambiguous starts", {std::to_string(result.ambiguous_starts)}, "");
  return text + "\n" + format_table(result.figures, model);
}

// "0.31 deg"; rounding is 0
std::string degrees(double angle) {
  constexpr double rounding = 1e-3;
  return (angle < rounding ? "0" : digits(angle, 3)) + " deg";
}

// The gesture as it was recorded: for --json and the page alike.
Json recorded_json(const RecordedGesture& recorded) {
  const Gesture& gesture = recorded.gesture;
  Json json{{"first_s", to_seconds(recorded.first)},
            {"last_s", to_seconds(recorded.last)},
            {"onset_s", to_seconds(recorded.onset)},
            {"offset_s", to_seconds(recorded.offset)},
            {"begin", to_string(gesture.begin)},
            {"end", to_string(gesture.end)},
            {"hand_speed_max_m_s", gesture.speed_max},
            {"hand_turn_max_rad_s", gesture.turn_max},
            {"reason", gesture.reason},
            {"limbs", Json::array()}};
  for (const LimbDirection& limb : recorded.limbs)
    json["limbs"].push_back({{"segment", limb.segment},
                             {"direction_median_deg", number(limb.median_deg)},
                             {"direction_p95_deg", number(limb.p95_deg)},
                             {"direction_max_deg", number(limb.max_deg)}});
  return json;
}

std::string name_of(const RecordedGesture& gesture) {
  return "gesture " + std::to_string(gesture.number) + " of " + std::to_string(gesture.of);
}

SampleStatistics statistics(const std::vector<double>& values) {
  SampleStatistics result(values.size());
  for (const double value : values) result.add(value);
  return result;
}

}  // namespace

Verdict with_sensors(Verdict verdict, const SensedFigures* sensed) {
  return sensed == nullptr ? verdict : report::joined(verdict_of(*sensed), std::move(verdict), "the robot: ");
}

Json report::run_json(const RobotReport& run) {
  Json json = card_json(run.result.card);
  for (const ReportValue& value : report_values(run.result.following))
    json[value.key] = value.number ? Json(*value.number) : Json(nullptr);
  json["ambiguous_starts"] = run.result.ambiguous_starts;
  json["unmeasured_joints"] = run.result.unmeasured_joints.size();
  json["unmeasured_joint_names"] = run.result.unmeasured_joints;
  const Json figures = figures_json(run.result.figures, run.model);
  for (const auto& [key, value] : figures.items()) {
    if (!json.contains(key)) json[key] = value;
  }
  if (run.result.scaling) json["scaling"] = scaling_value(*run.result.scaling, run.model);
  if (const SensedFigures* person = run.sensed) {
    const SampleStatistics step_us = statistics(person->step_us);
    json["person"] = {{"model", person->model},
                      {"step_p50_us", step_us.percentile(0.5).value_or(0.0)},
                      {"step_p99_us", step_us.percentile(0.99).value_or(0.0)},
                      {"step_max_us", step_us.max().value_or(0.0)}};
    json["sensors"] = sensors_value(person->found);
    json["swapped_sensors"] = swapped_value(person->found);
    if (!person->found.refined.empty()) json["refined"] = refined_value(person->found.refined);
  }
  json["verdict"] = verdict_value(with_sensors(verdict_of(run.result, run.model), run.sensed));
  return json;
}

std::string robot_json(const RobotReport& run) { return report::dumped(report::run_json(run)); }

std::string robot_tables(const RobotReport& report) {
  std::string text =
      format_robot_card(report.result.card) + "\n" + verdict_table(report.result, report.model);
  if (report.result.scaling) text += "\n" + format_scaling(*report.result.scaling, report.model);
  if (const SensedFigures* person = report.sensed) {
    const SampleStatistics step_us = statistics(person->step_us);
    const table::TimeUnit unit = table::time_unit(step_us.percentile(0.99).value_or(0.0));
    const auto figure = [&](std::optional<double> us) { return digits(us.value_or(0.0) / unit.us, 3); };
    text += "\nSensors onto " + person->model + ": " + counted(std::ssize(person->found.sensors), "sensor") +
            ", step time " + figure(step_us.percentile(0.5)) + " " + unit.name + " (p50), " +
            figure(step_us.percentile(0.99)) + " (p99)\n";
  }
  return text;
}

std::string no_gesture_text(const std::vector<Time>& t, const SegmentationOptions& options) {
  if (too_sparse(t, options)) return "too few frames a second to find gestures: nothing written\n";
  if (t.size() < 2 || to_seconds(t.back() - t.front()) < options.min_duration)
    return fmt::format("{}: shorter than a gesture (at least {} s): nothing written\n",
                       counted(std::ssize(t), "frame"), digits(options.min_duration, 6));
  return fmt::format(
      "no gesture found: no hand was faster than {} m/s (--speed-on) or turned faster than {} rad/s "
      "(--turn-on) for {} s: nothing written\n",
      digits(options.speed_on, 6), digits(options.turn_on, 6), digits(options.min_duration, 6));
}

ReportPageResult page_result(const RobotReport& report, std::vector<std::string> notes) {
  const RetargetResult& result = report.result;
  ReportPageResult page = page_result(static_cast<const TrackResult&>(result), report.info, std::move(notes));
  page.verdict = with_sensors(verdict_of(result, report.model), report.sensed);
  if (result.scaling) page.scaling = PageScaling{*result.scaling, result.figures, result.following};
  return page;
}

Json report::page_value(const PageScaling& scaled, const Model& robot) {
  Json json = scaling_value(scaled.scaling, robot);
  json.erase("recorded_s");  // the page shows what was recorded beside every frame
  json["velocity_violations"] = scaled.figures.velocity_violations;
  json["row_violations"] = scaled.figures.row_violations;
  const FollowingFigures& left = scaled.following;
  json["followable_mean_deg"] = number(left.followable_mean_deg);
  json["followable_max_deg"] = number(left.followable_max_deg);
  json["worst_link"] = left.worst_link;
  json["collapsed_longest_s"] = left.collapsed_longest_s;
  json["collapsed_link"] = left.collapsed_link;
  return json;
}

Json report::page_value(const PageGesture& gesture) {
  const RecordedGesture& recorded = gesture.recorded;
  Json json = recorded_json(recorded);
  json["name"] = name_of(recorded);
  json["frames"] = recorded.gesture.last - recorded.gesture.first + 1;
  json["recording_frames"] = gesture.recording_frames;
  json["recording_s"] = gesture.recording_s;
  return json;
}

std::string gestures_json(const ImitateResult& result, const Model& model, const RecordingInfo& info,
                          const SensedFigures* sensed, const std::vector<std::vector<std::string>>& written) {
  Json json{{"solver", to_string(result.solver)},
            {"robot", model.name()},
            {"frames", result.stamps.size()},
            {"solve_ms", 1e3 * result.seconds},
            {"gestures", Json::array()}};
  for (std::size_t i = 0; i < result.gestures.size(); ++i) {
    const GestureResult& gesture = result.gestures[i];
    Json one = recorded_json(gesture.recorded);
    one["scale_ms"] = 1e3 * gesture.result.scaling->seconds;
    one["written"] = Json::array();
    if (i < written.size())
      for (const std::string& path : written[i]) one["written"].push_back(shared_name(path));
    one["motion"] = report::run_json({model, info, gesture.result, sensed});
    json["gestures"].push_back(std::move(one));
  }
  json["verdict"] = report::verdict_value(with_sensors(verdict_of(result, model), sensed));
  return report::dumped(json);
}

std::string gesture_line(const GestureResult& gesture, const Model& model) {
  const RecordedGesture& recorded = gesture.recorded;
  std::string text = fmt::format("  gesture {}, {:.2f} to {:.2f} s", recorded.number,
                                 to_seconds(recorded.first), to_seconds(recorded.last));
  if (gesture.result.scaling && gesture.result.scaling->time.stretch > 1.0005)
    text += fmt::format(", slowed down {} times", decimals(gesture.result.scaling->time.stretch, 2));
  return text + ": " + word_of(verdict_of(gesture.result, model).grade) + "\n";
}

std::string gesture_text(const GestureResult& gesture, const Model& model) {
  const RecordedGesture& recorded = gesture.recorded;
  std::string text =
      fmt::format("\ngesture {}, {:.2f} to {:.2f} s: {}\n", recorded.number, to_seconds(recorded.first),
                  to_seconds(recorded.last), recorded.gesture.reason);
  for (const LimbDirection& limb : recorded.limbs) {
    if (limb.median_deg)
      text += fmt::format("  {:<15} direction error before scaling: {} (median), {} (95 %)\n", limb.segment,
                          degrees(*limb.median_deg), degrees(*limb.p95_deg));
  }
  const FollowingFigures& left = gesture.result.following;
  if (left.followable_mean_deg && !left.worst_link.empty())
    text +=
        fmt::format("  after scaling   error where the robot can follow: {} (mean), {} (worst, {})\n",
                    degrees(*left.followable_mean_deg), degrees(*left.followable_max_deg), left.worst_link);
  if (!left.collapsed_link.empty())
    text += fmt::format("  over 90 deg off {} for up to {} s\n", left.collapsed_link,
                        digits(left.collapsed_longest_s, 2));
  const RobotFigures& figures = gesture.result.figures;
  text += fmt::format("  {}; limits broken: {} position, {} speed, {} coupled\n",
                      counted(figures.frames, "frame"), figures.limit_violations, figures.velocity_violations,
                      figures.row_violations);
  const auto stuck = gesture.result.card.status_counts[static_cast<std::size_t>(StepStatus::Stuck)];
  if (stuck > 0)
    text +=
        fmt::format("  {} turned the wrong way round; do not use them (stuck)\n", counted(stuck, "frame"));
  return text + format_scaling(*gesture.result.scaling, model);
}

}  // namespace panto
