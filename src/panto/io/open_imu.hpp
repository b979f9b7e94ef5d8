#pragma once
// Opens recordings of raw inertial sensors, whatever their format (docs/formats/imu.md), and the small TOML
// files that say which sensor sits where on a model (docs/formats/sensors.md).

#include <string>
#include <string_view>
#include <vector>

#include "panto/inertial/sensor_setup.hpp"
#include "panto/recording/recording.hpp"

namespace panto::io {

/// Format of a file of raw sensors.
enum class ImuFormat : unsigned char {
  None,         ///< no raw sensors
  Csv,          ///< our own table
  Npz,          ///< arrays of NumPy
  XsensText,    ///< MT Manager's export, one sensor
  XsensFolder,  ///< a folder of those, all sensors of one recording
  ApdmCsv,      ///< Motion Studio's export
  Table,        ///< a table of another program: x-io, Movella DOT, Shimmer, phones, data sets
  TableFolder,  ///< a folder of those, all sensors of one recording
  Sto,          ///< orientations, as in OpenSense
  Mvnx,         ///< the sensors in a recording of segments
};

/// Whether the caller gives the mountings of the sensors.
enum class Mountings : unsigned char { Unknown, Given };

/// Returns the format by content, not by name. With mountings, MVNX counts as its sensors, and orientations
/// count under any names. @throws FormatError when it cannot be read.
[[nodiscard]] ImuFormat recognise_imu(const std::string& path, Mountings mountings = Mountings::Unknown);

/// Opens a recording of raw sensors by its content. @throws FormatError with the line, or the array, and a
/// valid value.
[[nodiscard]] ImuClip open_imu(const std::string& path);
/// Opens a recording of raw sensors from the bytes of a file: needs no file system. Messages call it `name`.
/// Readings, notes and refusals are the same as for the file. @throws FormatError as above.
[[nodiscard]] ImuClip open_imu(std::string bytes, const std::string& name);

/// Writes our own table, which `read_imu_csv` reads back to the bit. Quantities without any reading get no
/// columns.
/// @throws Error when it cannot be written; FormatError for a sensor's name that cannot be part of a header.
void write_imu_csv(const std::string& path, const ImuClip& clip);

/// Reads where sensors sit. The caller checks links and joints against the model. @throws FormatError
/// ("path:line: ...") naming the key and a valid value.
[[nodiscard]] SensorSetup read_sensors(const std::string& path);
/// Reads the same from a text; messages call it `name`.
[[nodiscard]] SensorSetup read_sensors(std::string_view text, const std::string& name);

/// Returns a text that reads back to the same setup, rotations and vectors to 1e-9. `heading` comes first, a
/// remark after each sensor, both as comments. @throws FormatError for a name that is not UTF-8.
[[nodiscard]] std::string sensors_text(const SensorSetup& file, const std::string& heading = "",
                                       const std::vector<std::string>& remarks = {});

}  // namespace panto::io
