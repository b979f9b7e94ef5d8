#pragma once
// Opens recordings of raw inertial sensors, format by format: docs/formats/imu.md.

#include <cstddef>
#include <istream>
#include <string>
#include <string_view>

#include "panto/io/open_imu.hpp"

namespace panto::io {

class Input;

/// Most readings (samples times sensors) of a recording: 82 minutes of 17 sensors at 100 Hz.
inline constexpr std::size_t kMostImuReadings = std::size_t{1} << 23U;

/// Tells what an input that is open holds.
[[nodiscard]] ImuFormat recognise_imu(Input& input, Mountings mountings = Mountings::Unknown);

/// Returns true for OpenSense's names of sensors: `femur_r_imu`.
[[nodiscard]] bool is_sensor_label(std::string_view label) noexcept;

/// Returns what a text of raw sensors is that Panto does not read, from the first bytes of its file, and what
/// to do about it; empty: no sensors are to be seen.
[[nodiscard]] std::string unread_sensors(std::string_view head);

/// Opens a recording of raw sensors from an open input. @throws FormatError as above.
[[nodiscard]] ImuClip open_imu(Input& input);

/// The readers. Messages call the file `name`. @throws FormatError as `open_imu` does.
[[nodiscard]] ImuClip read_imu_csv(std::istream& stream, const std::string& name);
/// Reads a table of another program, by its header.
[[nodiscard]] ImuClip read_imu_table(std::istream& stream, const std::string& name);
[[nodiscard]] ImuClip read_apdm_csv(std::istream& stream, const std::string& name);
[[nodiscard]] ImuClip read_xsens_text(std::istream& stream, const std::string& name);
[[nodiscard]] ImuClip read_imu_npz(std::string_view bytes, const std::string& name);
[[nodiscard]] ImuClip read_imu_sto(std::istream& stream, const std::string& name);
/// Reads the sensors of an MVNX recording: orientations, and the rates, forces and fields of its version.
[[nodiscard]] ImuClip read_imu_mvnx(std::istream& stream, const std::string& name);
/// Reads a folder of such tables, one per sensor, as one recording.
[[nodiscard]] ImuClip read_imu_table_folder(const std::string& path);
/// Reads all sensors of one recording: MT Manager writes one file per sensor.
[[nodiscard]] ImuClip read_xsens_folder(const std::string& path);

}  // namespace panto::io
