#include "panto/io/imu_table.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "panto/base/error.hpp"
#include "panto/base/index.hpp"
#include "panto/io/imu_formats.hpp"
#include "panto/io/stamps.hpp"
#include "panto/math/so3.hpp"

namespace panto::io {
namespace {

constexpr double kLargest = 1e7;            // [rad/s], [m/s^2] or of a field; no sensor measures more
constexpr std::size_t kMostSensors = 1000;  // of a recording; each name is compared with all others

}  // namespace

const char* to_string(ImuQuantity quantity) noexcept {
  switch (quantity) {
    case ImuQuantity::Gyro:
      return "gyro";
    case ImuQuantity::Acc:
      return "acc";
    case ImuQuantity::Mag:
      return "mag";
    case ImuQuantity::Orientation:
    case ImuQuantity::Matrix:
      return "orientation";
  }
  return "";
}

int numbers_of(ImuQuantity quantity) noexcept {
  return quantity == ImuQuantity::Matrix ? 9 : quantity == ImuQuantity::Orientation ? 4 : 3;
}

double* values_of(ImuReading& reading, ImuQuantity quantity) noexcept {
  if (quantity == ImuQuantity::Gyro) return reading.gyro.data();
  if (quantity == ImuQuantity::Acc) return reading.acc.data();
  return quantity == ImuQuantity::Mag ? reading.mag.data() : reading.wxyz_GI.data();
}

bool& flag_of(ImuReading& reading, ImuQuantity quantity) noexcept {
  if (quantity == ImuQuantity::Gyro) return reading.has_gyro;
  if (quantity == ImuQuantity::Acc) return reading.has_acc;
  return quantity == ImuQuantity::Mag ? reading.has_mag : reading.has_orientation;
}

int sensor_index(ImuClip& clip, std::string_view name) {
  const auto known = std::find(clip.sensors.begin(), clip.sensors.end(), name);
  if (known == clip.sensors.end()) {
    if (clip.sensors.size() == kMostSensors)
      throw FormatError(clip.name + ": more than " + std::to_string(kMostSensors) + " sensors");
    clip.sensors.emplace_back(name);
    return static_cast<int>(clip.sensors.size()) - 1;
  }
  return static_cast<int>(known - clip.sensors.begin());
}

ImuRows::ImuRows(const LineReader& reader, std::vector<std::string> labels, std::vector<ImuColumn> columns,
                 std::size_t stamp, char separator, ImuClip& clip)
    : reader_(&reader),
      labels_(std::move(labels)),
      columns_(std::move(columns)),
      stamp_(stamp),
      separator_(separator),
      clip_(&clip),
      present_(clip.sensors.size()),
      matrices_(clip.sensors.size()) {
  check_columns();
}

void ImuRows::check_columns() const {
  if (clip_->sensors.empty())
    throw reader_->error("no column holds a gyroscope, an accelerometer, a magnetometer or an orientation");
  for (std::size_t s = 0; s < clip_->sensors.size(); ++s) {
    for (const ImuQuantity quantity : {ImuQuantity::Gyro, ImuQuantity::Acc, ImuQuantity::Mag,
                                       ImuQuantity::Orientation, ImuQuantity::Matrix}) {
      std::vector<int> count(at(numbers_of(quantity)), 0);
      for (const ImuColumn& column : columns_) {
        if (column.sensor == static_cast<int>(s) && column.quantity == quantity) ++count[at(column.axis)];
      }
      const std::string what =
          std::string(to_string(quantity)) + " of sensor " + io::in_quotes(clip_->sensors[s]);
      if (*std::max_element(count.begin(), count.end()) > 1)
        throw reader_->error("the " + what + " has two columns for one axis");
      const auto axes = std::count(count.begin(), count.end(), 1);
      if (axes == 0 || axes == std::ssize(count)) continue;
      const auto absent = std::find(count.begin(), count.end(), 0) - count.begin();
      if (quantity == ImuQuantity::Matrix)
        throw reader_->error("the " + what + " has no column for its Mat[" + std::to_string(absent % 3 + 1) +
                             "][" + std::to_string(absent / 3 + 1) + "]");
      if (quantity == ImuQuantity::Orientation)
        throw reader_->error("the " + what + " has no column for its " + "wxyz"[absent]);
      throw reader_->error("the " + what + " has no column for its " + "xyz"[absent] + " axis");
    }
  }
}

double ImuRows::number(std::size_t column, std::string_view cell) const {
  const auto value = parse_number(cell);
  const auto where = [&] {
    return "cell " + std::to_string(column + 1) + " (" + io::in_quotes(labels_[column]) + ") is " +
           io::in_quotes(cell);
  };
  if (!value) throw reader_->error(where() + ", not a number" + comma_hint(cell));
  if (!std::isfinite(*value)) throw reader_->error(where() + "; leave the cell of a missing value empty");
  if (std::abs(*value) > kLargest) throw reader_->error(where() + ", more than any sensor measures");
  return *value;
}

// Checks that they are rotations; turns matrices into quaternions.
void ImuRows::check_orientations(std::size_t first) {
  for (std::size_t s = 0; s < present_.size(); ++s) {
    ImuReading& reading = clip_->readings[first + s];
    if (!reading.has_orientation) continue;
    const std::string of = " of sensor " + io::in_quotes(clip_->sensors[s]);
    if (present_[s][static_cast<std::size_t>(ImuQuantity::Matrix)] > 0) {
      const Eigen::Matrix3d R = Eigen::Map<const Eigen::Matrix3d>(matrices_[s].data());
      if (!so3::is_rotation(R, kImuOrientationTolerance))
        throw reader_->error("the matrix" + of + " is not a rotation");
      reading.wxyz_GI = so3::to_quaternion_wxyz(R);
    } else if (const double norm = reading.wxyz_GI.norm();
               !(std::abs(norm - 1.0) <= kImuOrientationTolerance)) {
      throw reader_->error("the quaternion" + of + " has length " + std::to_string(norm) + " instead of 1");
    }
  }
}

std::optional<std::string_view> ImuRows::add(std::string_view line) {
  const std::size_t first = clip_->readings.size();
  if (first + clip_->sensors.size() > kMostImuReadings)
    throw reader_->error("more than " + std::to_string(kMostImuReadings) + " readings; split the recording");
  const auto cells = static_cast<std::size_t>(std::count(line.begin(), line.end(), separator_)) + 1;
  if (cells != columns_.size())
    throw reader_->error(std::to_string(cells) + " cells instead of " + std::to_string(columns_.size()) +
                         (reader_->terminated() ? "" : "; the file seems to be truncated"));
  clip_->readings.resize(first + clip_->sensors.size());
  std::fill(present_.begin(), present_.end(), std::array<int, 5>{});
  std::string_view stamp;
  for (std::size_t c = 0; c < cells; ++c) {
    const std::size_t end = line.find(separator_);
    const std::string_view cell = trimmed(line.substr(0, end));
    line.remove_prefix(std::min(end, line.size() - 1) + 1);
    if (c == stamp_) stamp = cell;
    const ImuColumn& column = columns_[c];
    if (column.sensor < 0 || cell.empty()) continue;
    ImuReading& reading = clip_->readings[first + at(column.sensor)];
    double* values = column.quantity == ImuQuantity::Matrix ? matrices_[at(column.sensor)].data()
                                                            : values_of(reading, column.quantity);
    values[column.axis] = column.factor * number(c, cell);
    flag_of(reading, column.quantity) =
        ++present_[at(column.sensor)][static_cast<std::size_t>(column.quantity)] ==
        numbers_of(column.quantity);
  }
  if (reader_->terminated()) {
    check_orientations(first);
    return stamp;
  }
  clip_->readings.resize(first);
  clip_->notes.emplace_back(
      "the last line has no line end, so its last number may be truncated; the line is left out");
  return std::nullopt;
}

bool next_row(LineReader& reader, std::string_view& line) {
  while (reader.next(line)) {
    const std::string_view text = trimmed(line);
    if (!text.empty() && text.front() != '#') return true;
  }
  return false;
}

void add_stamp(const LineReader& reader, std::string_view cell, ImuClip& clip) {
  const auto stamp = parse_seconds(cell);
  if (!stamp)
    throw reader.error("the time " + io::in_quotes(cell) + " is not a number of seconds in range" +
                       comma_hint(cell));
  const std::string refusal =
      refusal_of_stamp(*stamp, clip.times.empty() ? std::nullopt : std::optional(clip.times.back()));
  if (!refusal.empty()) throw reader.error(refusal + " (" + std::string(cell) + " s)");
  clip.times.push_back(*stamp);
}

void finish(const LineReader& reader, double declared_hz, ImuClip& clip) {
  if (clip.times.empty()) throw reader.error("the table has no rows of measurements");
  clip.rate_hz = settle_rate(clip.times, declared_hz, clip.notes);
}

}  // namespace panto::io
