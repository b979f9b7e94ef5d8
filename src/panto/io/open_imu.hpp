#pragma once
// Opens recordings of raw inertial sensors, whatever their format: docs/formats/imu.md.

#include <istream>
#include <string>
#include <string_view>
#include <vector>

#include "panto/recording/imu_clip.hpp"

namespace panto::io {

class Input;

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

/// What the file holds decides, not its name. `asked`: somebody says where sensors sit; then MVNX counts as
/// its sensors, and orientations count whatever they are called. @throws FormatError when it cannot be read.
[[nodiscard]] ImuFormat recognise_imu(const std::string& path, bool asked = false);
/// The same of an input that is open.
[[nodiscard]] ImuFormat recognise_imu(Input& input, bool asked = false);
/// OpenSense's names of sensors: `femur_r_imu`.
[[nodiscard]] bool is_sensor_label(std::string_view label) noexcept;

/// Opens a recording of raw sensors by its content. @throws FormatError with the line, or the array, and what
/// would be right.
[[nodiscard]] ImuClip open_imu(const std::string& path);
/// Opens a recording of raw sensors from the bytes of a file: needs no file system. `name` stands for the
/// path in messages. Readings, notes and refusals are those of the file. @throws FormatError as above.
[[nodiscard]] ImuClip open_imu(std::string bytes, const std::string& name);
/// Opens a recording of raw sensors from what is open already. @throws FormatError as above.
[[nodiscard]] ImuClip open_imu(Input& input);

/// The readers. `name` stands for the file in messages. @throws FormatError as `open_imu` does.
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
