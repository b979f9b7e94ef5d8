#include "panto/report/sensor_report.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "apps/panto/command_line.hpp"
#include "panto/base/index.hpp"
#include "panto/base/text.hpp"

namespace panto {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kExpected = 3.0;   // of a squared innovation: one for each axis
constexpr double kOdd = 2.0;        // times that, from which on a sensor is said to disagree
constexpr double kSmallGain = 0.9;  // of an exchange: what is left of the mean squared innovation
constexpr double kFew = 0.05;       // share of missing readings that is worth a word

// A squared innovation as a multiple of what a reading is expected to be off by.
std::optional<double> multiple(const std::optional<double>& innovation) {
  if (!innovation) return std::nullopt;
  return std::sqrt(*innovation / kExpected);
}

bool measured(const SensorSummary& sensor) {
  return sensor.nis_gyro || sensor.nis_acc || sensor.nis_orientation;
}

bool disagrees(const SensorSummary& sensor) { return worst_innovation(sensor) > kOdd * kExpected; }

// A small gain is evidence where it is in every second, but that something is exchanged may be seen
// elsewhere.
std::string swap_line(const SwappedSensors& pair, const std::string& file) {
  const bool small = pair.after > kSmallGain * pair.before, same = pair.one_link == pair.other_link;
  std::string line = "sensors '" + pair.one + "' and '" + pair.other + "' " +
                     (small ? "are perhaps changed over, or others near them" : "look changed over") + ": ";
  line += same ? "with each other's places on " + pair.one_link
               : "with '" + pair.one + "' on " + pair.other_link + " and '" + pair.other + "' on " +
                     pair.one_link;
  line += " readings are off by " + digits(*multiple(pair.after), 2) + " times what is expected, not " +
          digits(*multiple(pair.before), 2) + "; look where they sit, then exchange their ";
  if (same) return line + "places in " + file;
  return line + (pair.calibrated ? "links in " + file + " and calibrate again" : "names in " + file);
}

std::string disagreement(const SensorSummary& sensor) {
  std::string line = "sensor '" + sensor.name + "' on " + sensor.link + " disagrees with the model:";
  const auto add = [&](const char* what, const std::optional<double>& innovation) {
    if (innovation.value_or(0.0) <= kOdd * kExpected) return;
    line += std::string(line.back() == ':' ? " its " : ", its ") + what + " is off by " +
            digits(*multiple(innovation), 2) + " times what is expected";
  };
  add("gyroscope", sensor.nis_gyro);
  add("accelerometer", sensor.nis_acc);
  add("orientation", sensor.nis_orientation);
  return line + "; is its mounting right, the person's size, the start?";
}

// How far a sensor's readings were off, as a multiple of what was expected of them: 1 is usual. The worst of
// its kinds.
double off_by(const SensorSummary& sensor) { return std::sqrt(worst_innovation(sensor) / kExpected); }

// Those that agree, in one sentence.
std::string agreement(const std::vector<const SensorSummary*>& sensors, bool all) {
  double least = kInfinity, most = 0.0;
  for (const SensorSummary* sensor : sensors) {
    least = std::min(least, off_by(*sensor));
    most = std::max(most, off_by(*sensor));
  }
  const bool one = sensors.size() == 1;
  std::string line = all && !one ? "all " : all ? "the one " : "the other ";
  line += all && one ? std::string("sensor") : counted(std::ssize(sensors), "sensor");
  line += std::string(one ? " agrees" : " agree") + " with the model: readings are off by ";
  line += one || digits(least, 2) == digits(most, 2) ? digits(most, 2)
                                                     : digits(least, 2) + " to " + digits(most, 2);
  return line + " times what is expected";
}

}  // namespace

std::vector<std::string> sensor_lines(const SensorFindings& found) {
  std::vector<std::string> lines;
  std::vector<const SensorSummary*> agreeing;
  for (const SensorSummary& sensor : found.sensors) {
    if (!measured(sensor)) {
      lines.push_back("sensor '" + sensor.name + "' on " + sensor.link + ": nothing measured");
    } else if (disagrees(sensor)) {
      lines.push_back(disagreement(sensor));
    } else {
      agreeing.push_back(&sensor);
    }
    if (measured(sensor) && sensor.missing_share() > kFew)
      lines.push_back("sensor '" + sensor.name + "' on " + sensor.link + " told nothing in " +
                      digits(100.0 * sensor.missing_share(), 2) + " % of the samples");
  }
  // (that sensors agree is no comfort where two of them would agree better elsewhere)
  if (!agreeing.empty() && found.swapped.empty())
    lines.push_back(agreement(agreeing, agreeing.size() == found.sensors.size()));
  for (const SwappedSensors& pair : found.swapped) lines.push_back(swap_line(pair, found.file));
  if (found.refined.empty()) return lines;
  if (doubtful(found)) {
    lines.emplace_back("what was learnt of places and lengths is not to be believed either (--json has it)");
    return lines;
  }
  for (std::string& line : refined_lines(found.refined)) lines.push_back(std::move(line));
  return lines;
}

std::string sensor_table(const SensorFindings& found) {
  const bool oriented = std::any_of(found.sensors.begin(), found.sensors.end(),
                                    [](const SensorSummary& s) { return s.nis_orientation.has_value(); });
  std::size_t width = 26;
  for (const SensorSummary& sensor : found.sensors) width = std::max(width, printable(sensor.name).size());
  const auto row = [&](const std::string& name, const std::vector<std::string>& cells) {
    std::string line = name + std::string(width - std::min(width, name.size()), ' ');
    for (const std::string& cell : cells)
      line += std::string(15 - std::min<std::size_t>(14, cell.size()), ' ') + cell;
    return line + "\n";
  };
  const auto cell = [](const std::optional<double>& innovation) {
    return innovation ? digits(*multiple(innovation), 2) : std::string("-");
  };
  std::vector<std::string> heads{"gyroscope", "accelerometer"};
  if (oriented) heads.emplace_back("orientation");
  heads.emplace_back("missing");
  std::string text = "Readings off, as multiples of what is expected (more than 1.4 is too much):\n";
  text += row("", heads);
  for (const SensorSummary& sensor : found.sensors) {
    std::vector<std::string> cells{cell(sensor.nis_gyro), cell(sensor.nis_acc)};
    if (oriented) cells.push_back(cell(sensor.nis_orientation));
    cells.push_back(digits(100.0 * sensor.missing_share(), 2) + " %");
    text += row(printable(sensor.name), cells);
  }
  return text;
}

bool doubtful(const SensorFindings& found) {
  return !found.swapped.empty() || std::any_of(found.sensors.begin(), found.sensors.end(), disagrees);
}

std::vector<unsigned char> measured_joints(const SensorFindings& found, const Model& model) {
  const Tree& tree = model.tree();
  std::vector<unsigned char> result(at(model.dof()), 0);
  for (const SensorSummary& sensor : found.sensors) {
    if (!measured(sensor)) continue;
    for (int i = model.frame(model.link_index(sensor.link)).body; i > 0; i = tree.parent[at(i)])
      result[at(tree.dof[at(i)])] = 1;
  }
  return result;
}

std::string known_table(const SensorFindings& found, const KnownJoints& known, const Model& model) {
  std::string table = format_table(known, model);
  if (!table.empty() && doubtful(found))
    table += "  not to be believed          sensors disagree or look changed over, see there\n";
  return table;
}

std::string sensors_json(const SensorFindings& found) {
  const auto number = [](const std::optional<double>& value) { return value ? Json(*value) : Json(nullptr); };
  Json list = Json::array();
  for (const SensorSummary& sensor : found.sensors) {
    const auto samples = static_cast<double>(std::max<std::int64_t>(sensor.samples, 1));
    list.push_back({{"name", sensor.name},
                    {"link", sensor.link},
                    {"nis_gyro_mean", number(sensor.nis_gyro)},
                    {"nis_acc_mean", number(sensor.nis_acc)},
                    {"nis_orientation_mean", number(sensor.nis_orientation)},
                    {"off_by", measured(sensor) ? Json(off_by(sensor)) : Json(nullptr)},
                    {"disagrees", disagrees(sensor)},
                    {"missing_share", sensor.missing_share()},
                    {"field_used_share", static_cast<double>(sensor.field_used) / samples},
                    {"frozen_s", sensor.frozen_s}});
  }
  return list.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string swapped_json(const SensorFindings& found) {
  Json list = Json::array();
  for (const SwappedSensors& pair : found.swapped)
    list.push_back({{"one", pair.one},
                    {"other", pair.other},
                    {"calibrated", pair.calibrated},
                    {"innovation_before", pair.before},
                    {"innovation_after", pair.after}});
  return list.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string known_json(const KnownJoints& known, const Model& model) {
  const auto number = [](const std::optional<double>& value) { return value ? Json(*value) : Json(nullptr); };
  const Json least = known.least_known < 0 ? Json(nullptr) : Json(model.joint_names()[at(known.least_known)]);
  return Json{{"joint_sd_median_deg", number(known.median_deg)},
              {"joint_sd_max_deg", number(known.max_deg)},
              {"least_known_joint", least},
              {"unmeasured_joints", known.unmeasured}}
      .dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string sensors_page_json(const SensorFindings& found, const KnownJoints& known, const Model& model) {
  Json json = Json::parse(known_json(known, model)), joints = Json::array();
  const std::vector<unsigned char> measured_by = measured_joints(found, model);
  for (int i = 0; i < model.dof(); ++i) {
    const std::optional<double>& sd = known.deviation[at(i)];
    joints.push_back({{"name", model.joint_names()[at(i)]},
                      {"sd", sd ? Json(*sd) : Json(nullptr)},
                      {"measured", measured_by[at(i)] != 0}});
  }
  json["joints"] = std::move(joints);
  json["sensors"] = Json::parse(sensors_json(found));
  json["swapped_sensors"] = Json::parse(swapped_json(found));
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace panto
