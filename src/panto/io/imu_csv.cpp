// Reads our own table of raw sensors and APDM's export.

#include <algorithm>
#include <array>
#include <utility>

#include "panto/base/index.hpp"
#include "panto/io/imu_formats.hpp"
#include "panto/io/imu_table.hpp"
#include "panto/io/part_file.hpp"

namespace panto::io {
namespace {

// ---- ours: <sensor>.gyro_x_rad_s
// -----------------------------------------------------------------------------

struct UnitOf {
  ImuQuantity quantity;
  ImuUnit unit;
};
constexpr std::array<UnitOf, 7> kUnits{{{ImuQuantity::Gyro, {"rad_s", 1.0}},
                                        {ImuQuantity::Gyro, {"deg_s", kDegreesPerSecond}},
                                        {ImuQuantity::Acc, {"m_s2", 1.0}},
                                        {ImuQuantity::Acc, {"g", kStandardGravity}},
                                        {ImuQuantity::Mag, {"uT", 1.0}},
                                        {ImuQuantity::Mag, {"au", 1.0}},
                                        {ImuQuantity::Mag, {"G", 100.0}}}};

constexpr std::array<std::string_view, 4> kQuaternion{"q_w", "q_x", "q_y", "q_z"};

constexpr std::string_view kWhatIsRight =
    "; expected `time_s`, then <sensor>.gyro_x_rad_s (or _deg_s), <sensor>.acc_x_m_s2 (or _g), "
    "<sensor>.mag_x_uT (or "
    "_G, or _au for parts of a reference), and the same for y and z; <sensor>.q_w, .q_x, .q_y, .q_z";

// "gyro_x_rad_s"
std::optional<ImuColumn> column_of(std::string_view word) {
  for (int k = 0; k < 4; ++k) {
    if (word == kQuaternion[at(k)]) return ImuColumn{0, ImuQuantity::Orientation, k, 1.0};
  }
  for (const UnitOf& known : kUnits) {
    for (int axis = 0; axis < 3; ++axis) {
      const std::string name = std::string(to_string(known.quantity)) + "_" + "xyz"[axis] + "_";
      if (word == name + std::string(known.unit.name))
        return ImuColumn{0, known.quantity, axis, known.unit.factor};
    }
  }
  return std::nullopt;
}

bool is_time(std::string_view label) { return label == "time_s" || label == "time"; }

std::vector<ImuColumn> own_columns(const LineReader& reader, const std::vector<std::string_view>& labels,
                                   ImuClip& clip) {
  if (!is_time(labels.front()))
    throw reader.error("the first column is " + io::in_quotes(labels.front()) + std::string(kWhatIsRight));
  std::vector<ImuColumn> columns(1);
  for (std::size_t i = 1; i < labels.size(); ++i) {
    const std::size_t dot = labels[i].rfind('.');
    const bool named = dot != std::string_view::npos && dot > 0;
    const auto column = named ? column_of(labels[i].substr(dot + 1)) : std::nullopt;
    if (!column)
      throw reader.error("column " + std::to_string(i + 1) + " is " + io::in_quotes(labels[i]) +
                         std::string(kWhatIsRight));
    columns.push_back(*column);
    columns.back().sensor = sensor_index(clip, labels[i].substr(0, dot));
  }
  return columns;
}

// ---- APDM: <sensor>/Angular Velocity/X --------------------------------------------------------------------

struct ApdmQuantity {
  std::string_view name;
  ImuQuantity quantity;
  std::array<ImuUnit, 2> units;
};
constexpr std::array<ApdmQuantity, 3> kApdm{
    {{"Acceleration", ImuQuantity::Acc, {{{"m/s^2", 1.0}, {"g", kStandardGravity}}}},
     {"Angular Velocity", ImuQuantity::Gyro, {{{"rad/s", 1.0}, {"deg/s", kDegreesPerSecond}}}},
     {"Magnetic Field", ImuQuantity::Mag, {{{"uT", 1.0}, {"G", 100.0}}}}}};

ImuColumn apdm_column(const LineReader& reader, std::string_view label, std::string_view unit,
                      ImuClip& clip) {
  ImuColumn column;
  const std::size_t last = label.rfind('/');
  const std::size_t first = last == std::string_view::npos || last == 0 ? last : label.rfind('/', last - 1);
  if (first == std::string_view::npos || first == 0 || last + 2 != label.size()) return column;
  const std::string_view what = label.substr(first + 1, last - first - 1);
  const char axis = label.back();
  for (const ApdmQuantity& known : kApdm) {
    if (known.name != what || axis < 'X' || axis > 'Z') continue;
    for (const ImuUnit& right : known.units) {
      if (unit == right.name)
        return {sensor_index(clip, label.substr(0, first)), known.quantity, axis - 'X', right.factor};
    }
    throw reader.error("the unit of " + io::in_quotes(label) + " is " + io::in_quotes(unit) + "; expected " +
                       std::string(known.units[0].name) + " or " + std::string(known.units[1].name));
  }
  return column;
}

// reads the lines before the names ("Sample Rate:,128,Hz"); returns the line of names
std::string apdm_head(LineReader& reader, double& rate_hz) {
  constexpr int most_lines = 20;
  std::string_view line;
  for (int i = 0; i < most_lines && reader.next(line); ++i) {
    if (line.starts_with("Time,")) return std::string(line);
    const auto cells = split_cells(line);
    if (cells.front() != "Sample Rate:" || cells.size() < 2) continue;
    rate_hz = parse_number(cells[1]).value_or(0.0);
    if (!(rate_hz > 1e-3 && rate_hz < 1e6))
      throw reader.error("the sample rate is " + io::in_quotes(cells[1]));
  }
  throw reader.error("the line of column names, which begins with `Time,` in an APDM export, is missing");
}

std::vector<std::string> copied(const std::vector<std::string_view>& words) {
  return {words.begin(), words.end()};
}

void read_rows(LineReader& reader, ImuRows& rows, ImuClip& clip) {
  for (std::string_view line; next_row(reader, line);) {
    if (const auto stamp = rows.add(line)) add_stamp(reader, *stamp, clip);
  }
}

}  // namespace

ImuClip read_imu_csv(std::istream& stream, const std::string& name) {
  LineReader reader(stream, name);
  ImuClip clip;
  clip.name = name;
  clip.format = "imu csv";
  std::string_view line;
  if (!next_row(reader, line)) throw reader.error("empty; a header line was expected");
  const std::vector<std::string_view> labels = split_cells(line);
  std::vector<ImuColumn> columns = own_columns(reader, labels, clip);
  ImuRows rows(reader, copied(labels), std::move(columns), 0, ',', clip);
  read_rows(reader, rows, clip);
  finish(reader, 0.0, clip);
  return clip;
}

ImuClip read_apdm_csv(std::istream& stream, const std::string& name) {
  LineReader reader(stream, name);
  ImuClip clip;
  clip.name = name;
  clip.format = "apdm csv";
  double rate_hz = 0.0;
  const std::string head = apdm_head(reader, rate_hz);
  const std::vector<std::string_view> labels = split_cells(head);
  std::string_view line;
  if (!reader.next(line)) throw reader.error("the file ends after the column names");
  const std::vector<std::string_view> units = split_cells(line);
  if (units.size() != labels.size())
    throw reader.error(std::to_string(units.size()) + " units for " + std::to_string(labels.size()) +
                       " columns");
  if (units.front() != "s")
    throw reader.error("the unit of the time is " + io::in_quotes(units.front()) + ", not s");
  std::vector<ImuColumn> columns;
  for (std::size_t i = 0; i < labels.size(); ++i)
    columns.push_back(apdm_column(reader, labels[i], units[i], clip));
  ImuRows rows(reader, copied(labels), std::move(columns), 0, ',', clip);
  read_rows(reader, rows, clip);
  finish(reader, rate_hz, clip);
  return clip;
}

namespace {

// returns true when any reading has the quantity
bool has(const ImuClip& clip, std::size_t sensor, ImuQuantity quantity) {
  for (std::size_t k = 0; k < clip.times.size(); ++k) {
    ImuReading reading = clip.at(k, sensor);
    if (flag_of(reading, quantity)) return true;
  }
  return false;
}

}  // namespace

void write_imu_csv(const std::string& path, const ImuClip& clip) {
  std::string text = "time_s";
  std::vector<std::pair<std::size_t, ImuQuantity>> written;
  for (std::size_t s = 0; s < clip.sensors.size(); ++s) {
    if (clip.sensors[s].empty() || clip.sensors[s].find_first_of(",\"\r\n") != std::string::npos)
      throw FormatError(path + ": sensor " + io::in_quotes(clip.sensors[s]) +
                        ": this name cannot be part of a header (comma, quote or line break)");
    for (const ImuQuantity quantity : kImuQuantities) {
      if (!has(clip, s, quantity)) continue;
      written.emplace_back(s, quantity);
      if (quantity == ImuQuantity::Orientation) {
        for (const std::string_view number : kQuaternion)
          text += "," + clip.sensors[s] + "." + std::string(number);
        continue;
      }
      const char* unit = quantity == ImuQuantity::Gyro  ? "_rad_s"
                         : quantity == ImuQuantity::Acc ? "_m_s2"
                                                        : "_au";
      for (const char axis : {'x', 'y', 'z'})
        text += "," + clip.sensors[s] + "." + to_string(quantity) + "_" + axis + unit;
    }
  }
  PartFile file(path);
  (void)file.write(text + "\n");  // close() reports failures
  for (std::size_t k = 0; k < clip.times.size(); ++k) {
    text.clear();
    append_seconds(clip.times[k], text);
    for (const auto& [sensor, quantity] : written) {
      ImuReading reading = clip.at(k, sensor);
      const double* values = values_of(reading, quantity);
      for (int i = 0; i < numbers_of(quantity); ++i) {
        text += ',';
        if (flag_of(reading, quantity)) append_number(values[i], text);
      }
    }
    (void)file.write(text + "\n");
  }
  file.close();
}

}  // namespace panto::io
