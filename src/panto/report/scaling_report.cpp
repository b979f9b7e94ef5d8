#include "panto/report/scaling_report.hpp"

#include "panto/base/index.hpp"
#include "panto/base/text.hpp"
#include "panto/report/json.hpp"

namespace panto {
namespace {

constexpr std::size_t kSwingsShown = 12;
constexpr double kLonger = 1.0005;   // times as long, below which three decimals say 1
constexpr double kMuchSlower = 1.5;  // times as long: worth a hint

std::string seconds(Time t) { return decimals(to_seconds(t), 2); }

}  // namespace

std::string format_scaling(const ScalingReport& scaling, const Model& robot) {
  const TimeScalingReport& time = scaling.time;
  const RangeScalingReport& range = scaling.range;
  std::string text = "scaled to the robot's limits\n  time: " + decimals(time.before, 2) + " s";
  text += time.stretch < kLonger ? ", unchanged\n"
                                 : " -> " + decimals(time.after, 2) + " s, stretched by " +
                                       decimals(time.stretch, 3) + " (s_v " + decimals(time.scale, 3) + ")\n";
  if (time.joint >= 0)
    text += "    slowed down for " + std::string(time.by_acceleration ? "the acceleration of " : "") +
            robot.joint_names()[at(time.joint)] + " (worst at " + seconds(time.joint_at) + " s)" +
            (time.law == TimeLaw::Uniform && time.stretch > kMuchSlower
                 ? "; --pace optimal slows down only where needed\n"
                 : "\n");
  for (const FastJoint& joint : time.fast)
    text += "    " + robot.joint_names()[at(joint.joint)] + ": " + decimals(joint.peak, 2) + " of " +
            decimals(joint.limit, 2) + " rad/s at " + seconds(joint.at) + " s\n";
  text += "  range: " + counted(static_cast<std::int64_t>(range.swings.size()), "swing") +
          " of single joints and " + std::to_string(range.rows.size()) +
          " of coupled joints beyond limits; joints moved by up to " + decimals(range.change_max, 3) +
          " rad\n";
  const auto& stamps = scaling.stamps;
  for (std::size_t i = 0; i < range.swings.size() && i < kSwingsShown; ++i) {
    const JointSwing& s = range.swings[i];
    text += "    " + robot.joint_names()[at(s.joint)] + ": " + seconds(stamps[at(s.first)]) + " to " +
            seconds(stamps[at(s.last)]) + " s, " + decimals(s.before, 3) + " -> " + decimals(s.after, 3) +
            " rad at " + seconds(stamps[at(s.extremum)]) + " s, scale " + decimals(s.scale_before, 2) +
            " and " + decimals(s.scale_behind, 2) + "\n";
  }
  if (range.swings.size() > kSwingsShown)
    text += "    and " + std::to_string(range.swings.size() - kSwingsShown) + " more; --json lists all\n";
  return text;
}

report::Json report::scaling_value(const ScalingReport& scaling, const Model& robot) {
  const TimeScalingReport& time = scaling.time;
  const auto& stamps = scaling.stamps;
  const auto second = [](Time t) { return to_seconds(t); };
  const auto swing = [&](const ScaledSwing& s) {
    return Json{{"from_s", second(stamps[at(s.first)])},
                {"to_s", second(stamps[at(s.last)])},
                {"at_s", second(stamps[at(s.extremum)])},
                {"before", s.before},
                {"after", s.after},
                {"scale_before", s.scale_before},
                {"scale_behind", s.scale_behind}};
  };
  Json json{{"stretch", time.stretch},
            {"scale", time.scale},
            {"duration_before_s", time.before},
            {"duration_after_s", time.after},
            {"law", time.law == TimeLaw::Uniform ? "uniform" : "optimal"},
            {"asked_by", time.joint >= 0 ? Json(robot.joint_names()[at(time.joint)]) : Json(nullptr)},
            {"asked_at_s", time.joint >= 0 ? Json(second(time.joint_at)) : Json(nullptr)},
            {"change_max", scaling.range.change_max},
            {"scaled_share", scaling.range.scaled_share}};
  json["fast"] = json["swings"] = json["rows"] = json["pulled"] = Json::array();
  for (const FastJoint& joint : time.fast)
    json["fast"].push_back({{"joint", robot.joint_names()[at(joint.joint)]},
                            {"peak", joint.peak},
                            {"limit", joint.limit},
                            {"at_s", second(joint.at)}});
  for (const JointSwing& s : scaling.range.swings) {
    json["swings"].push_back(swing(s));
    json["swings"].back()["joint"] = robot.joint_names()[at(s.joint)];
  }
  for (const RowSwing& s : scaling.range.rows) {
    json["rows"].push_back(swing(s));
    json["rows"].back()["row"] = robot.spec().rows[at(s.row)].name;
  }
  for (const PulledJoints& p : scaling.range.pulled)
    json["pulled"].push_back({{"from_s", second(stamps[at(p.first)])},
                              {"to_s", second(stamps[at(p.last)])},
                              {"factor", p.factor}});
  json["recorded_s"] = Json::array();
  for (const Time t : scaling.recorded) json["recorded_s"].push_back(second(t));
  return json;
}

}  // namespace panto
