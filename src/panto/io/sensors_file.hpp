#pragma once
// Reads and writes mountings of inertial sensors on a model as small TOML files that people edit:
// docs/formats/sensors.md.

#include <string>
#include <string_view>
#include <vector>

#include "panto/tracking/sensor_setup.hpp"

namespace panto::io {

/// Reads a file. The caller checks links and joints against the model. @throws FormatError ("path:line: ...")
/// naming the key and a valid value.
[[nodiscard]] SensorSetup read_sensors(const std::string& path);
/// The same for a text; messages call it `name`.
[[nodiscard]] SensorSetup read_sensors(std::string_view text, const std::string& name);

/// Returns a text that reads back to the same setup, rotations and vectors to 1e-9. `heading` comes first, a
/// remark after each sensor, both as comments. @throws FormatError for a name that is not UTF-8.
[[nodiscard]] std::string sensors_text(const SensorSetup& file, const std::string& heading = "",
                                       const std::vector<std::string>& remarks = {});

}  // namespace panto::io
