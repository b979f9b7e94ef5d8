// How raw sensors and the joints that they tell of fared in a run, as text for people.

#include <algorithm>
#include <string>
#include <vector>

#include "panto/base/printable.hpp"
#include "panto/base/text.hpp"
#include "panto/report/sensor_report.hpp"
#include "panto/report/tables.hpp"

namespace panto {

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
  std::string text = "Error of the readings, in multiples of the expected (limit 1.4):\n";
  text += row("", heads);
  for (const SensorSummary& sensor : found.sensors) {
    std::vector<std::string> cells{cell(sensor.nis_gyro), cell(sensor.nis_acc)};
    if (oriented) cells.push_back(cell(sensor.nis_orientation));
    cells.push_back(digits(100.0 * sensor.missing_share(), 2) + " %");
    text += row(printable(sensor.name), cells);
  }
  return text;
}

std::string known_table(const SensorFindings& found, const KnownJoints& known, const Model& model) {
  std::string table = format_table(known, model);
  if (!table.empty() && doubtful(found))
    table += "  unreliable                  sensors disagree or may be swapped (see above)\n";
  return table;
}

std::string smoothing_line(const SmoothingCounts& counts) {
  std::string line = counted(counts.smoothed, "sample") + " smoothed";
  if (counts.parts > 1) line += " in " + counted(counts.parts, "part");
  if (counts.kept > 0)
    line += "; " + std::to_string(counts.kept) + " could not be smoothed and stay as filtered";
  if (counts.kept_deviation > 0)
    line += "; " + counted(counts.kept_deviation, "sample") + " keep the filter's deviations";
  return line;
}

}  // namespace panto
