// Reads tables of raw sensors that other programs write, by their headers: x-io, Movella DOT, Shimmer,
// phones, data sets.

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <utility>

#include "panto/base/index.hpp"
#include "panto/base/text.hpp"
#include "panto/evaluation/imu_units.hpp"
#include "panto/io/imu_formats.hpp"
#include "panto/io/imu_header.hpp"
#include "panto/io/stamps.hpp"
#include "panto/io/text_scanner.hpp"

namespace panto::io {
namespace {

constexpr std::size_t kHead = 64U << 10U;  // bytes in which a header is found
constexpr double kMostRepairs = 0.2;       // share of rows with stamps that do not increase
constexpr double kLargestBack = 1.0;       // [s] that a stamp may lie before the one before
constexpr std::size_t kMostFiles = 100;    // of a folder
constexpr Time kSameStamp = 1'000'000;     // [ns] between files
constexpr double kAbsolute = 1e6;          // [s] a first stamp beyond it is a date

bool is_missing(std::string_view cell) {
  return cell.size() <= 4 &&
         (cell == "nan" || cell == "NaN" || cell == "NAN" || cell == "null" || cell == "NA");
}

/// Reads the rows of one table.
class Table {
 public:
  Table(std::istream& stream, const std::string& name) : reader_(stream, name) {
    clip_.name = name;
    clip_.format = "imu table";
  }

  ImuClip read() {
    find_header();
    for (const std::string& sensor : header_.sensors)
      (void)sensor_index(clip_, sensor.empty() ? std::filesystem::path(clip_.name).stem().string() : sensor);
    ImuRows rows(reader_, header_.labels, header_.columns, header_.time, header_.separator, clip_);
    if (!first_.empty()) add_cells(rows, first_);
    for (std::string_view line; next_row(reader_, line);) add_cells(rows, line);
    set_times();
    note_repairs();
    settle_units();
    return std::move(clip_);
  }

  /// Returns the date of the first stamp [s], which became time 0; 0: stamps are no dates.
  [[nodiscard]] double origin() const noexcept { return origin_; }

 private:
  // Reads lines until they hold a header, and no further.
  void find_header() {
    std::string head;
    std::optional<ImuHeader> found;
    for (std::string_view line; head.size() < kHead && reader_.next(line);) {
      (head += line) += '\n';
      found = find_imu_header(head);
      if (found) break;
    }
    if (!found) throw reader_.error("no line names columns of time and of a gyroscope or an accelerometer");
    // the line after the names may hold their units or axes
    std::string_view line;
    if (!reader_.next(line)) throw reader_.error("the table has no rows of measurements");
    (head += line) += '\n';
    // damaged units may leave no header at all: then the line is a row, and refused as one
    header_ = find_imu_header(head).value_or(*found);
    movella_ = head.find("SampleTimeFine") != std::string::npos;
    const bool blank = trimmed(line).empty() || trimmed(line).front() == '#';
    if (header_.lines == found->lines && !blank) first_ = line;
  }

  void add_cells(ImuRows& rows, std::string_view line) {
    text_ = line;
    if (header_.separator != ',') std::replace(text_.begin(), text_.end(), ',', '.');
    blank_missing();
    const std::size_t before = clip_.readings.size();
    const auto stamp = rows.add(text_);
    if (!stamp) return;
    const auto value = parse_number(*stamp);
    if (!value || !std::isfinite(*value))
      throw reader_.error("the time " + in_quotes(*stamp) + " is not a number" + comma_hint(*stamp));
    ++rows_;
    if (!stamps_.empty() && *value <= stamps_.back()) {  // the sensor said it before, or late
      ++repeated_;
      back_ = std::max(back_, stamps_.back() - *value);
      clip_.readings.resize(before);
      return;
    }
    stamps_.push_back(*value);
  }

  // Empties cells that say NaN.
  void blank_missing() {
    if (text_.find_first_of("nN") == std::string::npos) return;
    std::string blanked;
    for (std::size_t begin = 0; begin <= text_.size();) {
      const std::size_t end = std::min(text_.find(header_.separator, begin), text_.size());
      const std::string_view cell = std::string_view(text_).substr(begin, end - begin);
      if (!is_missing(trimmed(cell))) blanked += cell;
      if (end < text_.size()) blanked += header_.separator;
      begin = end + 1;
    }
    text_ = std::move(blanked);
  }

  void set_times() {
    if (stamps_.empty()) throw reader_.error("the table has no rows of measurements");
    double unit = header_.time_unit;
    if (movella_ && unit == 0.0) unit = movella_unit();
    if (unit == 0.0) {
      const double step = mean_step(1.0);
      unit = unit_of_step(step);
      if (unit == 0.0)
        throw reader_.error(
            "the times are " + digits(step, 3) +
            " apart: as s, ms, us or ns they give no usual rate; name the unit: time_s, time_ms");
      if (unit != 1.0)
        clip_.notes.push_back("times are read as " +
                              std::string(unit == 1e-3   ? "milliseconds"
                                          : unit == 1e-6 ? "microseconds"
                                                         : "nanoseconds") +
                              ": their header names no unit");
    }
    const double origin = std::abs(stamps_.front() * unit) > kAbsolute ? stamps_.front() : 0.0;
    origin_ = origin * unit;
    if ((stamps_.back() - origin) * unit > kAbsolute)
      throw reader_.error("the times span more than eleven days");
    if (back_ * unit > kLargestBack)
      throw reader_.error("the time goes back by " + digits(back_ * unit, 3) +
                          " s: two recordings in one file?");
    std::size_t kept = 0;
    for (std::size_t k = 0; k < stamps_.size(); ++k) {
      const Time t = from_seconds((stamps_[k] - origin) * unit);
      if (kept > 0 && t <= clip_.times.back()) {
        ++repeated_;
        continue;
      }
      clip_.times.push_back(t);
      for (std::size_t s = 0; s < clip_.sensors.size(); ++s) clip_.at(kept, s) = clip_.at(k, s);
      ++kept;
    }
    clip_.readings.resize(kept * clip_.sensors.size());
    clip_.rate_hz = settle_rate(clip_.times, 0.0, clip_.notes);
  }

  // SampleTimeFine counts microseconds in Movella DOT's files, which have degrees per second; in those of MT
  // Manager tenths of milliseconds, with radians per second. Neither says so.
  double movella_unit() {
    constexpr double kMicroseconds = 2000.0;  // [ticks] a longer step: 500 Hz, or 5 Hz
    const bool dot = mean_step(kMicroseconds) >= kMicroseconds;
    for (std::size_t s = 0; dot && s < clip_.sensors.size(); ++s)
      if (header_.gyro_open[s] != 0) scale(s, &ImuReading::gyro, kDegreesPerSecond);
    header_.gyro_open.assign(clip_.sensors.size(), 0);
    header_.acc_open = header_.gyro_open;
    return dot ? 1e-6 : 1e-4;
  }

  // between stamps, in the file's unit; `single` for one stamp
  [[nodiscard]] double mean_step(double single) const {
    const auto steps = static_cast<double>(stamps_.size() - 1);
    return steps > 0.0 ? (stamps_.back() - stamps_.front()) / steps : single;
  }

  void scale(std::size_t sensor, Eigen::Vector3d ImuReading::*quantity, double factor) {
    for (std::size_t i = sensor; i < clip_.readings.size(); i += clip_.sensors.size())
      clip_.readings[i].*quantity *= factor;
  }

  void note_repairs() {
    if (repeated_ > 0) {
      if (static_cast<double>(repeated_) > kMostRepairs * static_cast<double>(rows_))
        throw reader_.error("the time does not increase in " + std::to_string(repeated_) + " of " +
                            counted(rows_, "row"));
      clip_.notes.push_back(counted(repeated_, "row") + " of " + std::to_string(rows_) +
                            " left out: the time does not increase there");
    }
    if (!header_.unused.empty())
      clip_.notes.push_back("one sensor of each kind is read; left out: " + listed(header_.unused, 3));
  }

  // Finds the units that the header lacks from the readings.
  void settle_units() {
    for (std::size_t s = 0; s < clip_.sensors.size(); ++s) {
      if (header_.gyro_open[s] == 0 && header_.acc_open[s] == 0) continue;
      ImuUnits units;
      for (std::size_t k = 0; k < clip_.times.size(); ++k) units.add(clip_.at(k, s), clip_.times[k]);
      const ForceUnit force = units.force_unit();
      if (header_.acc_open[s] != 0 && force == ForceUnit::Gravities) {
        scale(s, &ImuReading::acc, kStandardGravity);
        say(s, "accelerations have no unit in the header: read as multiples of g");
      } else if (header_.acc_open[s] != 0 && force == ForceUnit::Thousandths) {
        scale(s, &ImuReading::acc, 1e-3 * kStandardGravity);
        say(s, "accelerations have no unit in the header: read as thousandths of g");
      }
      if (header_.gyro_open[s] != 0 && units.rate_unit() == RateUnit::Degrees) {
        scale(s, &ImuReading::gyro, kDegreesPerSecond);
        say(s, "rates have no unit in the header: read as degrees per second");
      }
    }
  }

  void say(std::size_t sensor, const std::string& what) {
    clip_.notes.push_back("sensor " + in_quotes(clip_.sensors[sensor]) + ": " + what +
                          ", as its values suggest");
  }

  LineReader reader_;
  ImuHeader header_;
  ImuClip clip_;
  bool movella_ = false;
  std::string first_, text_;    // the first row, if the search for the header has read it; a row
  std::vector<double> stamps_;  // as in the file
  std::int64_t rows_ = 0, repeated_ = 0;
  double back_ = 0.0, origin_ = 0.0;
};

std::vector<std::string> table_files(const std::string& folder) {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string file = entry.path().string(), extension = extension_of(file);
    if (entry.is_regular_file() && (extension == ".csv" || extension == ".txt") &&
        recognise_imu(file) == ImuFormat::Table)
      files.push_back(file);
  }
  std::sort(files.begin(), files.end());
  return files;
}

// Puts clips whose stamps were dates on one clock, which begins with the first of them.
void align(const std::vector<double>& origins, std::vector<ImuClip>& clips) {
  const double first = *std::min_element(origins.begin(), origins.end());
  if (first == 0.0) return;  // not all are dates
  for (std::size_t i = 0; i < clips.size(); ++i) {
    if (origins[i] - first > kAbsolute)
      throw FormatError(clips[i].name + ": begins over eleven days after another file of this folder");
    for (Time& t : clips[i].times) t += from_seconds(origins[i] - first);
  }
}

// Returns the index of the stamp nearest to `t`, from `k` on.
std::size_t nearest_from(const std::vector<Time>& times, std::size_t k, Time t) {
  while (k + 1 < times.size() && std::abs(times[k + 1] - t) <= std::abs(times[k] - t)) ++k;
  return k;
}

// Puts the sensors of all clips at the stamps of the one with the most.
ImuClip joined(const std::string& name, const std::vector<ImuClip>& clips) {
  const ImuClip& base = *std::max_element(clips.begin(), clips.end(), [](const ImuClip& a, const ImuClip& b) {
    return a.times.size() < b.times.size();
  });
  ImuClip all;
  all.name = name;
  all.format = "imu table folder";
  all.times = base.times;
  all.rate_hz = base.rate_hz;
  for (const ImuClip& clip : clips) {
    for (const std::string& note : clip.notes)
      all.notes.push_back(std::filesystem::path(clip.name).filename().string() + ": " + note);
    for (const std::string& sensor : clip.sensors)
      if (const std::size_t known = all.sensors.size(); at(sensor_index(all, sensor)) < known)
        throw FormatError(clip.name + ": sensor " + in_quotes(sensor) +
                          " has two files in this folder; a folder must hold one recording");
  }
  if (all.times.size() * all.sensors.size() > kMostImuReadings)
    throw FormatError(name + ": more than " + std::to_string(kMostImuReadings) +
                      " readings; split the recording");
  const Time half_step = base.rate_hz > 0.0 ? from_seconds(0.5 / base.rate_hz) : 0;
  all.readings.resize(all.times.size() * all.sensors.size());
  Time apart = 0;
  std::size_t first = 0;
  for (const ImuClip& clip : clips) {
    std::size_t k = 0;
    for (std::size_t i = 0; i < all.times.size(); ++i) {
      k = nearest_from(clip.times, k, all.times[i]);
      const Time distance = std::abs(clip.times[k] - all.times[i]);
      if (distance > half_step) continue;
      apart = std::max(apart, distance);
      for (std::size_t s = 0; s < clip.sensors.size(); ++s) all.at(i, first + s) = clip.at(k, s);
    }
    first += clip.sensors.size();
  }
  if (apart > kSameStamp)
    all.notes.push_back("stamps of the files differ by up to " + digits(1e3 * to_seconds(apart), 2) +
                        " ms: each sample takes the nearest reading of each file");
  return all;
}

}  // namespace

ImuClip read_imu_table(std::istream& stream, const std::string& name) { return Table(stream, name).read(); }

ImuClip read_imu_table_folder(const std::string& path) {
  const std::vector<std::string> files = table_files(path);
  if (files.empty() || files.size() > kMostFiles)
    throw FormatError(path + ": a folder with " + std::to_string(files.size()) +
                      " tables of sensors; expected 1 to 100, one per sensor");
  std::vector<ImuClip> clips;
  std::vector<double> origins;
  std::size_t readings = 0;
  for (const std::string& file : files) {
    std::ifstream stream(file, std::ios::binary);
    if (!stream) throw FormatError(file + ": cannot be opened for reading");
    Table table(stream, file);
    clips.push_back(table.read());
    origins.push_back(table.origin());
    readings += clips.back().readings.size();
    if (readings > kMostImuReadings)
      throw FormatError(path + ": more than " + std::to_string(kMostImuReadings) +
                        " readings; split the recording");
  }
  align(origins, clips);
  return joined(path, clips);
}

}  // namespace panto::io
