#pragma once
// Opens recordings of raw inertial sensors in any known format: docs/formats/imu.md.

#include <istream>
#include <string>
#include <string_view>
#include <vector>

#include "panto/recording/imu_clip.hpp"

namespace panto::io {

class Input;

/// Most readings (samples times sensors) of a recording: 82 minutes of 17 sensors at 100 Hz.
inline constexpr std::size_t kMostImuReadings = std::size_t{1} << 23U;

/// Format of a file of raw sensors.
enum class ImuFormat : unsigned char {
  None,         ///< no raw sensors
  Csv,          ///< our own table
  Npz,          ///< arrays of NumPy
  XsensText,    ///< MT Manager's export, one sensor
  XsensFolder,  ///< a folder of those, all sensors of one recording
  ApdmCsv,      ///< Motion Studio's export
  Sto,          ///< orientations, as in OpenSense
  Mvnx,         ///< the sensors in a recording of segments
};

/// Returns the format by content, not by name. `asked`: the caller gives sensor mountings; then MVNX counts
/// as its sensors, and orientations count under any names. @throws FormatError when it cannot be read.
[[nodiscard]] ImuFormat recognise_imu(const std::string& path, bool asked = false);
/// The same for an open input; not for folders.
[[nodiscard]] ImuFormat recognise_imu(Input& input, bool asked = false);
/// Returns true for OpenSense's names of sensors: `femur_r_imu`.
[[nodiscard]] bool is_sensor_label(std::string_view label) noexcept;

/// Opens a recording of raw sensors by its content. @throws FormatError with the line, or the array, and a
/// valid value.
[[nodiscard]] ImuClip open_imu(const std::string& path);
/// Opens a recording of raw sensors from the bytes of a file: needs no file system. Messages call it `name`.
/// Readings, notes and refusals are the same as for the file. @throws FormatError as above.
[[nodiscard]] ImuClip open_imu(std::string bytes, const std::string& name);
/// Opens a recording of raw sensors from an open input. @throws FormatError as above.
[[nodiscard]] ImuClip open_imu(Input& input);

/// The readers. Messages call the file `name`. @throws FormatError as `open_imu` does.
[[nodiscard]] ImuClip read_imu_csv(std::istream& stream, const std::string& name);
[[nodiscard]] ImuClip read_apdm_csv(std::istream& stream, const std::string& name);
[[nodiscard]] ImuClip read_xsens_text(std::istream& stream, const std::string& name);
[[nodiscard]] ImuClip read_imu_npz(std::string_view bytes, const std::string& name);
[[nodiscard]] ImuClip read_imu_sto(std::istream& stream, const std::string& name);
/// Reads the sensors of an MVNX recording: orientations, and the rates, forces and fields of its version.
[[nodiscard]] ImuClip read_imu_mvnx(std::istream& stream, const std::string& name);
/// Reads all sensors of one recording: MT Manager writes one file per sensor.
[[nodiscard]] ImuClip read_xsens_folder(const std::string& path);

/// Writes our own table, which `read_imu_csv` reads back to the bit. Quantities without any reading get no
/// columns.
/// @throws Error when it cannot be written; FormatError for a sensor's name that cannot be part of a header.
void write_imu_csv(const std::string& path, const ImuClip& clip);

}  // namespace panto::io
