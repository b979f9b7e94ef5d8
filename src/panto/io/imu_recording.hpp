#pragma once
// Recordings of raw inertial sensors, whatever their format: docs/formats/imu.md.

#include <istream>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "panto/evaluation/imu_check.hpp"
#include "panto/sample/imu_sample.hpp"
#include "panto/tracking/source.hpp"

namespace panto::io {

/// Readings (samples times sensors) of the largest recording that is taken: 82 minutes of 17 sensors at 100
/// Hz.
inline constexpr std::size_t kMostImuReadings = std::size_t{1} << 23U;

/// What a file of raw sensors is.
enum class ImuFormat : unsigned char {
  None,         ///< no raw sensors
  Csv,          ///< ours
  Npz,          ///< arrays of NumPy
  XsensText,    ///< MT Manager's export, one sensor
  XsensFolder,  ///< a folder of those, all sensors of one recording
  ApdmCsv,      ///< Motion Studio's export
  Sto,          ///< orientations, OpenSense's way
  Mvnx,         ///< the sensors in a recording of segments
};

/// A recording of raw sensors in memory, in SI; fields in the file's unit. What a sensor does not have, or
/// missed, has no flag.
struct ImuClip {
  std::string name;    ///< stands for the file in messages
  std::string format;  ///< "imu csv", "imu npz", "xsens mt", "apdm csv", "sto", "mvnx"
  std::vector<std::string> sensors;
  std::vector<Time> times;           ///< increasing [ns]
  double rate_hz = 0.0;              ///< nominal; 0: fewer than two samples
  std::vector<ImuReading> readings;  ///< sample by sample, sensors in their order
  std::vector<std::string> notes;    ///< decisions of the reader, for people

  [[nodiscard]] ImuReading& at(std::size_t sample, std::size_t sensor) {
    return readings[sample * sensors.size() + sensor];
  }
  [[nodiscard]] const ImuReading& at(std::size_t sample, std::size_t sensor) const {
    return readings[sample * sensors.size() + sensor];
  }
};

/// A clip as a source of samples.
class ImuRecording final : public Source<ImuSample> {
 public:
  explicit ImuRecording(ImuClip clip) : clip_(std::move(clip)) {}

  [[nodiscard]] const std::vector<std::string>& names() const noexcept override { return clip_.sensors; }
  /// Allocates for the first sample only.
  [[nodiscard]] ReadStatus read(ImuSample& result) noexcept override;
  /// Sample `index` of the clip, wherever reading has got to.
  void sample(std::size_t index, ImuSample& result) const;
  /// The next sample is the first again.
  void rewind() noexcept { next_ = 0; }

  [[nodiscard]] const ImuClip& clip() const noexcept { return clip_; }
  /// Takes what a sensor said in a stretch for missing.
  void mask(const ImuStretch& stretch) noexcept;
  /// Takes trembling that is faster than `window` [s] out of every sensor (inertial/steadied).
  /// @throws ConfigError for a window that is not > 0.
  void steady(double window);

 private:
  ImuClip clip_;
  std::size_t next_ = 0;
};

/// What the file holds decides, not its name. `asked`: somebody says where sensors sit; then MVNX counts as
/// its sensors, and orientations count whatever they are called. @throws FormatError when it cannot be read.
[[nodiscard]] ImuFormat recognise_imu(const std::string& path, bool asked = false);
/// OpenSense's names of sensors: `femur_r_imu`.
[[nodiscard]] bool is_sensor_label(std::string_view label) noexcept;

/// Opens a recording of raw sensors by its content. @throws FormatError with the line, or the array, and what
/// would be right.
[[nodiscard]] std::unique_ptr<ImuRecording> open_imu_recording(const std::string& path);

/// The readers. `name` stands for the file in messages. @throws FormatError as `open_imu_recording` does.
[[nodiscard]] ImuClip read_imu_csv(std::istream& stream, const std::string& name);
[[nodiscard]] ImuClip read_apdm_csv(std::istream& stream, const std::string& name);
[[nodiscard]] ImuClip read_xsens_text(std::istream& stream, const std::string& name);
[[nodiscard]] ImuClip read_imu_npz(std::string_view bytes, const std::string& name);
[[nodiscard]] ImuClip read_imu_sto(std::istream& stream, const std::string& name);
/// Sensors of an MVNX recording: orientations, and what the version has of rates, forces and fields.
[[nodiscard]] ImuClip read_imu_mvnx(std::istream& stream, const std::string& name);
/// All sensors of one recording: MT Manager writes a file for each.
[[nodiscard]] ImuClip read_xsens_folder(const std::string& path);

/// Our own table, which `read_imu_csv` reads back to the bit. Quantities that no sensor reading has get no
/// columns.
/// @throws Error when it cannot be written; FormatError for a sensor's name that a header cannot hold.
void write_imu_csv(const std::string& path, const ImuClip& clip);

}  // namespace panto::io
