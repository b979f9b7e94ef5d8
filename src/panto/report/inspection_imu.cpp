// An inspection of raw sensors, in words and as JSON.

#include "panto/base/text.hpp"
#include "panto/report/json.hpp"
#include "panto/report/paragraph.hpp"
#include "panto/report/report.hpp"
#include "panto/report/shared_names.hpp"

namespace panto {
namespace {

using report::Json;

std::string figure(const std::optional<double>& value, int count, const std::string& unit) {
  return value ? digits(*value, count) + unit : "-";
}

// "100 Hz: gyroscope up to 3.2 rad/s, accelerometer 9.8 m/s^2 in the median, magnetometer; 0.3 % missing"
std::string sensor_text(const ImuFigures& f, std::size_t samples) {
  std::string text;
  const auto add = [&text](const std::string& part) { text += (text.empty() ? "" : ", ") + part; };
  if (f.gyro > 0) add("gyroscope up to " + figure(f.rate_max, 3, " rad/s"));
  if (f.acc > 0) add("accelerometer " + figure(f.force_median, 3, " m/s^2") + " in the median");
  if (f.mag > 0) add("magnetometer");
  if (f.orientation > 0) add("orientation");
  if (text.empty()) return "measured nothing";
  const auto missing = static_cast<std::int64_t>(samples) - f.readings;
  if (missing > 0) text += "; " + counted(missing, "sample") + " missing";
  return text;
}

}  // namespace

std::string findings_text(const ImuInspection& in) {
  std::string out;
  if (!in.faults.empty()) out += "\nFindings\n";
  for (const ImuFault& fault : in.faults) out += paragraph(fault.unusable ? "error" : "warning", fault.text);
  if (!in.notes.empty()) out += "\nNotes of the reader\n";
  for (const std::string& note : in.notes) out += paragraph("-", note, 4);
  if (in.trackable())
    out += "\nNext: `panto track` with --sensors FILE, which gives the link of each sensor.\n";
  return out;
}

std::string to_text(const ImuInspection& in) {
  std::string out = "In the file\n";
  out += paragraph("length", counted(static_cast<std::int64_t>(in.samples), "sample") + ", " +
                                 decimals(in.duration_s, 2) + " s");
  out += paragraph("rate", digits(in.rate_hz, 6) + " Hz");
  for (std::size_t i = 0; i < in.sensors.size(); ++i)
    out += paragraph(without_controls(in.sensors[i]), sensor_text(in.figures[i], in.samples));
  return out + findings_text(in);
}

std::string to_json(const ImuInspection& in) {
  const auto number = [](const std::optional<double>& value) { return value ? Json(*value) : Json(nullptr); };
  Json sensors = Json::array(), faults = Json::array();
  for (std::size_t i = 0; i < in.sensors.size(); ++i) {
    const ImuFigures& f = in.figures[i];
    sensors.push_back({{"name", in.sensors[i]},
                       {"samples", f.readings},
                       {"gyro_count", f.gyro},
                       {"acc_count", f.acc},
                       {"mag_count", f.mag},
                       {"orientation_count", f.orientation},
                       {"rate_max_rad_s", number(f.rate_max)},
                       {"force_median_m_s2", number(f.force_median)},
                       {"frozen_s", f.frozen_s}});
  }
  for (const ImuFault& fault : in.faults) {
    faults.push_back({{"kind", to_string(fault.kind)},
                      {"sensor", fault.sensor < 0 ? Json(nullptr)
                                                  : Json(in.sensors[static_cast<std::size_t>(fault.sensor)])},
                      {"unusable", fault.unusable},
                      {"text", fault.text}});
  }
  const Json json{{"file", shared_name(in.path)},
                  {"format", in.format},
                  {"trackable", in.trackable()},
                  {"frames", in.samples},
                  {"rate_hz", in.rate_hz},
                  {"duration_s", in.duration_s},
                  {"sensors", std::move(sensors)},
                  {"faults", std::move(faults)},
                  {"notes", without_folders(in.notes, {in.path})},
                  {"verdict", report::verdict_value(verdict_of(in))}};
  return report::dumped(json);
}

}  // namespace panto
