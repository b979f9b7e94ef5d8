// Reads raw sensors from arrays of NumPy.

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include "panto/base/error.hpp"
#include "panto/base/text.hpp"
#include "panto/io/imu_formats.hpp"
#include "panto/io/imu_table.hpp"
#include "panto/io/npz_archive.hpp"
#include "panto/io/stamps.hpp"

namespace panto::io {
namespace {

// Known names of members; the first one present is used.
constexpr std::array<std::string_view, 4> kGyro{"gyro", "gyr", "gyroscope", "angular_velocity"};
constexpr std::array<std::string_view, 3> kAcc{"acc", "accelerometer", "acceleration"};
constexpr std::array<std::string_view, 2> kMag{"mag", "magnetometer"};
constexpr std::array<std::string_view, 1> kOrientation{"orientation_wxyz"};
constexpr std::array<std::string_view, 2> kNames{"sensor_names", "names"};
constexpr std::array<std::string_view, 5> kRates{"rate_hz", "sampling_rate", "fs", "fps", "rate"};
constexpr std::array<std::string_view, 4> kTimes{"times_s", "times", "time", "t"};
constexpr double kLargest = 1e7;  // no sensor measures more

class Reader {
 public:
  Reader(std::string_view bytes, const std::string& name) : name_(name), archive_(bytes, name) {
    clip_.name = name;
    clip_.format = "imu npz";
  }

  ImuClip read() {
    std::array<std::optional<NpyArray>, 4> arrays{member(kGyro), member(kAcc), member(kMag),
                                                  member(kOrientation)};
    for (std::size_t i = 0; i < arrays.size(); ++i) {
      if (arrays[i]) check_shape(*arrays[i], static_cast<std::size_t>(numbers_of(kImuQuantities[i])));
    }
    if (frames_ == 0)
      throw FormatError(name_ + ": no array gyro or acc of shape (samples, sensors, 3) or (samples, 3)");
    read_names();
    clip_.readings.resize(frames_ * sensors_);
    for (std::size_t i = 0; i < arrays.size(); ++i) {
      if (arrays[i]) read_values(*arrays[i], kImuQuantities[i]);
    }
    read_times();
    return std::move(clip_);
  }

 private:
  template <typename Keys>
  [[nodiscard]] std::optional<NpyArray> member(const Keys& keys) const {
    const auto index = archive_.find_first(keys);
    if (!index) return std::nullopt;
    return archive_.array(*index);
  }

  // all arrays must have the shape of the first
  void check_shape(const NpyArray& a, std::size_t numbers) {
    const std::size_t rank = a.shape.size();
    if (!a.is_number() || rank < 2 || rank > 3 || a.shape.back() != numbers || a.count == 0) {
      const std::string last = std::to_string(numbers);
      throw FormatError(a.where + ": must be numbers of shape (samples, sensors, " + last +
                        "), or (samples, " + last + ") for one sensor");
    }
    const std::size_t sensors = rank == 3 ? a.shape[1] : 1;
    if (frames_ == 0) {
      frames_ = a.shape[0];
      sensors_ = sensors;
      if (frames_ * sensors_ > kMostImuReadings)
        throw FormatError(a.where + ": more than " + std::to_string(kMostImuReadings) + " readings");
    }
    if (a.shape[0] != frames_ || sensors != sensors_)
      throw FormatError(a.where + ": " + counted(a.shape[0], "sample") + " of " + counted(sensors, "sensor") +
                        ", but another has " + std::to_string(frames_) + " of " +
                        counted(sensors_, "sensor"));
  }

  static std::string counted(std::size_t count, const char* noun) {
    return panto::counted(static_cast<std::int64_t>(count), noun);
  }

  void read_names() {
    if (const auto names = member(kNames)) {
      if (!names->is_text() || names->count != sensors_)
        throw FormatError(names->where + ": must be " + counted(sensors_, "name") + " (an array of strings)");
      for (std::size_t s = 0; s < sensors_; ++s) {
        if (sensor_index(clip_, names->text(s)) != static_cast<int>(s))
          throw FormatError(names->where + ": two sensors are named " + io::in_quotes(names->text(s)));
      }
      return;
    }
    if (sensors_ > 1)
      throw FormatError(name_ + ": the " + std::to_string(sensors_) +
                        " sensors have no names; add an array 'sensor_names' of that many strings");
    clip_.sensors.emplace_back("imu");
    clip_.notes.emplace_back("the file has no sensor names; the sensor is named 'imu'");
  }

  // NaN in all numbers: missing
  void read_values(const NpyArray& a, ImuQuantity quantity) {
    const auto numbers = static_cast<std::size_t>(numbers_of(quantity));
    const bool turn = quantity == ImuQuantity::Orientation;
    for (std::size_t i = 0; i < a.count / numbers; ++i) {
      Eigen::Vector4d v = Eigen::Vector4d::Zero();
      for (std::size_t k = 0; k < numbers; ++k) v[static_cast<Eigen::Index>(k)] = a.number(numbers * i + k);
      if (v.head(static_cast<Eigen::Index>(numbers)).array().isNaN().all()) continue;
      const auto fail = [&](const std::string& what) {
        throw FormatError(a.where + ": sample " + std::to_string(i / sensors_) + ", sensor " +
                          io::in_quotes(clip_.sensors[i % sensors_]) + ": " + what);
      };
      if (!v.allFinite() || v.cwiseAbs().maxCoeff() > kLargest)
        fail("not finite, or larger than any sensor measures; write NaN in all numbers of a missing reading");
      if (turn && !(std::abs(v.norm() - 1.0) <= kImuOrientationTolerance))
        fail("the quaternion has length " + std::to_string(v.norm()) + " instead of 1");
      std::copy_n(v.data(), numbers, values_of(clip_.readings[i], quantity));
      flag_of(clip_.readings[i], quantity) = true;
    }
  }

  void read_times() {
    double rate_hz = 0.0;
    if (const auto rate = member(kRates)) {
      rate_hz = rate->is_number() && rate->count == 1 ? rate->number(0) : 0.0;
      if (!is_rate(rate_hz))
        throw FormatError(rate->where + ": must be one number of samples per second between 0.001 and 10000");
    }
    if (const auto times = member(kTimes)) {
      if (!times->is_number() || times->count != frames_)
        throw FormatError(times->where + ": must be " + counted(frames_, "time") + " in seconds");
      for (std::size_t k = 0; k < frames_; ++k) add_time(*times, k);
      clip_.rate_hz = settle_rate(clip_.times, rate_hz, clip_.notes);
      return;
    }
    if (rate_hz == 0.0)
      throw FormatError(name_ + ": no time of measurement; add an array 'times_s' or 'rate_hz'");
    for (std::size_t k = 0; k < frames_; ++k)
      clip_.times.push_back(frame_time(static_cast<std::int64_t>(k), rate_hz));
    clip_.rate_hz = rate_hz;
  }

  void add_time(const NpyArray& times, std::size_t k) {
    const double seconds = times.number(k);
    const std::string refusal =
        !(std::abs(seconds) < 9e9)
            ? "the time is not a number in range"
            : refusal_of_stamp(from_seconds(seconds),
                               k > 0 ? std::optional(clip_.times[k - 1]) : std::nullopt);
    if (!refusal.empty()) throw FormatError(times.where + ": sample " + std::to_string(k) + ": " + refusal);
    clip_.times.push_back(from_seconds(seconds));
  }

  std::string name_;
  NpzArchive archive_;
  ImuClip clip_;
  std::size_t frames_ = 0, sensors_ = 0;
};

}  // namespace

ImuClip read_imu_npz(std::string_view bytes, const std::string& name) { return Reader(bytes, name).read(); }

}  // namespace panto::io
