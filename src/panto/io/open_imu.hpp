#pragma once
// Opens recordings of raw inertial sensors, whatever their format (docs/formats/imu.md), and the small TOML
// files that say which sensor sits where on a model (docs/formats/sensors.md).

#include <string>
#include <string_view>
#include <vector>

#include "panto/inertial/sensor_setup.hpp"
#include "panto/recording/recording.hpp"

namespace panto::io {

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

/// Opens a recording of raw sensors by its content. @throws FormatError with the line, or the array, and what
/// would be right.
[[nodiscard]] ImuClip open_imu(const std::string& path);
/// Opens a recording of raw sensors from the bytes of a file: needs no file system. `name` stands for the
/// path in messages. Readings, notes and refusals are those of the file. @throws FormatError as above.
[[nodiscard]] ImuClip open_imu(std::string bytes, const std::string& name);

/// Our own table, which `read_imu_csv` reads back to the bit. Quantities that no sensor reading has get no
/// columns.
/// @throws Error when it cannot be written; FormatError for a sensor's name that a header cannot hold.
void write_imu_csv(const std::string& path, const ImuClip& clip);

/// Reads where sensors sit. Links and joints are looked up by who has the model. @throws FormatError
/// ("path:line: ...") naming the key and what would be right.
[[nodiscard]] SensorSetup read_sensors(const std::string& path);
/// Reads the same from a text; `name` stands for the path in messages.
[[nodiscard]] SensorSetup read_sensors(std::string_view text, const std::string& name);

/// Returns a text that reads back to the same, rotations and vectors to 1e-9. `heading` stands before it, a
/// remark behind each sensor, both as comments. @throws FormatError for a name that is not UTF-8.
[[nodiscard]] std::string sensors_text(const SensorSetup& file, const std::string& heading = "",
                                       const std::vector<std::string>& remarks = {});

}  // namespace panto::io
