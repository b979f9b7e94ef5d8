// Reads sensors that deliver orientations: OpenSense tables and the sensors of MVNX.

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <utility>

#include "panto/base/error.hpp"
#include "panto/base/index.hpp"
#include "panto/io/imu_formats.hpp"
#include "panto/io/imu_table.hpp"
#include "panto/io/mvnx.hpp"
#include "panto/io/opensim.hpp"
#include "panto/io/stamps.hpp"
#include "panto/io/text_scanner.hpp"
#include "panto/math/so3.hpp"

namespace panto::io {
namespace {

using Eigen::Vector3d;
using Eigen::Vector4d;

constexpr std::int64_t kLongestGap = 1'000'000;  // frames

void check_size(std::size_t frames, std::size_t sensors, const std::string& name) {
  if (sensors > 0 && frames > kMostImuReadings / sensors)
    throw FormatError(name + ": more than " + std::to_string(kMostImuReadings) +
                      " readings; split the recording");
}

void add_sensors(const std::vector<std::string>& labels, ImuClip& clip) {
  for (const std::string& label : labels) {
    const std::size_t known = clip.sensors.size();
    if (at(sensor_index(clip, label)) < known)
      throw FormatError(clip.name + ": two sensors are named " + in_quotes(label));
  }
}

// ---- MVNX -------------------------------------------------------------------------------------------------

// returns one sensor's part of a vector; false: missing, or one of its numbers could not be read
template <int N>
bool take(const MvnxFrame& frame, MvnxVector vector, std::size_t sensor, Eigen::Matrix<double, N, 1>& value) {
  const std::vector<double>& all = frame[vector];
  if (all.size() < N * (sensor + 1)) return false;
  value = Eigen::Map<const Eigen::Matrix<double, N, 1>>(all.data() + N * sensor);
  return value.allFinite();
}

ImuReading reading_of(const MvnxFrame& frame, std::size_t sensor) {
  ImuReading reading;
  reading.has_gyro = take<3>(frame, MvnxVector::SensorAngularVelocity, sensor, reading.gyro);
  reading.has_acc = take<3>(frame, MvnxVector::SensorAcceleration, sensor, reading.acc);
  reading.has_mag = take<3>(frame, MvnxVector::SensorMagneticField, sensor, reading.mag);
  Vector4d wxyz;
  reading.has_orientation = take<4>(frame, MvnxVector::SensorOrientation, sensor, wxyz) &&
                            std::abs(wxyz.norm() - 1.0) <= kMvnxQuaternionTolerance;
  if (reading.has_orientation) reading.wxyz_GI = wxyz;
  // Free acceleration is the measured one turned by the orientation, without gravity; this inverts it.
  Vector3d free;
  if (!reading.has_acc && reading.has_orientation &&
      take<3>(frame, MvnxVector::SensorFreeAcceleration, sensor, free)) {
    reading.acc = so3::from_quaternion_wxyz(wxyz).transpose() * (free + Vector3d(0.0, 0.0, kStandardGravity));
    reading.has_acc = true;
  }
  return reading;
}

}  // namespace

bool is_sensor_label(std::string_view label) noexcept {
  constexpr std::array<std::string_view, 4> ends{"_imu", "_sensor", "imu", "IMU"};
  return std::any_of(ends.begin(), ends.end(), [&](std::string_view end) { return label.ends_with(end); });
}

bool has_sensor_labels(std::string_view head) {
  const std::size_t header = head.find("endheader");
  if (header == std::string_view::npos) return false;
  const std::size_t begin = head.find_first_not_of("\r\n", std::min(head.size(), header + 9));
  if (begin == std::string_view::npos) return false;
  const std::string_view line = head.substr(begin, head.find_first_of("\r\n", begin) - begin);
  TextScanner words(line, "");
  bool any = false;
  words.next();  // time
  for (std::string_view word = words.next(); !word.empty(); word = words.next()) {
    if (!is_sensor_label(word)) return false;
    any = true;
  }
  return any;
}

ImuClip read_imu_sto(std::istream& stream, const std::string& name) {
  const OpenSimTable table = read_opensim_table(stream, name);
  if (table.components != 4)
    throw FormatError(name + ":1: DataType is " + in_quotes(table.data_type) +
                      "; orientations of sensors need DataType=Quaternion");
  if (table.rows() == 0) throw FormatError(name + ": the table has no rows");
  if (table.labels.empty())
    throw FormatError(name + ": the table has a column of time alone; expected one for every sensor");
  ImuClip clip;
  clip.name = name;
  clip.format = "sto";
  clip.notes = table.notes;
  add_sensors(table.labels, clip);
  check_size(table.rows(), table.labels.size(), name);
  clip.times = table.stamps();
  clip.rate_hz = settle_rate(clip.times, table.data_rate_hz.value_or(0.0), clip.notes);
  clip.readings.resize(table.rows() * table.labels.size());
  for (std::size_t k = 0; k < table.rows(); ++k) {
    for (std::size_t s = 0; s < table.labels.size(); ++s) {
      const auto q = table.cell(k, s);
      const Vector4d wxyz(q[0], q[1], q[2], q[3]);
      if (!wxyz.allFinite()) continue;  // OpenSim writes NaN for missing measurements
      if (!(std::abs(wxyz.norm() - 1.0) <= kImuOrientationTolerance))
        throw table.error(k, "the quaternion of " + in_quotes(table.labels[s]) + " has length " +
                                 std::to_string(wxyz.norm()) + " instead of 1");
      clip.at(k, s).wxyz_GI = wxyz;
      clip.at(k, s).has_orientation = true;
    }
  }
  return clip;
}

ImuClip read_imu_mvnx(std::istream& stream, const std::string& name) {
  auto own = std::make_unique<std::istream>(stream.rdbuf());  // the caller's bytes
  MvnxFile file(std::move(own), name,
                only(MvnxVector::Orientation) | only(MvnxVector::SensorOrientation) |
                    only(MvnxVector::SensorFreeAcceleration) | only(MvnxVector::SensorAcceleration) |
                    only(MvnxVector::SensorAngularVelocity) | only(MvnxVector::SensorMagneticField));
  ImuClip clip;
  clip.name = name;
  clip.format = "mvnx";
  add_sensors(file.header().sensors, clip);
  const std::size_t sensors = clip.sensors.size();
  bool any = false;
  MvnxFrame frame;
  ReadStatus status = ReadStatus::Sample;
  std::int64_t first = 0, index = -1;
  while ((status = file.read(frame)) == ReadStatus::Sample) {
    check_size(clip.times.size() + 1, sensors, name);
    // frames that MVN left out count as time
    if (clip.times.empty()) first = frame.index.value_or(0);
    const std::int64_t counted = frame.index.value_or(first + index + 1) - first;
    index = counted > index && counted - index < kLongestGap ? counted : index + 1;
    clip.times.push_back(frame_time(index, file.header().frame_rate_hz));
    for (std::size_t s = 0; s < sensors; ++s) {
      clip.readings.push_back(reading_of(frame, s));
      any = any || clip.readings.back().tells_motion();
    }
  }
  if (status == ReadStatus::Malformed) throw FormatError(file.problem());
  if (!any)
    throw FormatError(name +
                      ": no frame has sensorOrientation, sensorAcceleration or sensorAngularVelocity: "
                      "export sensor data from MVN, or track its segments without --sensors");
  clip.rate_hz = file.header().frame_rate_hz;
  clip.notes = file.notes();
  return clip;
}

}  // namespace panto::io
