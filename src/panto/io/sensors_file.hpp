#pragma once
// Which inertial sensor sits where on a model, as small TOML files that people edit: docs/formats/sensors.md.

#include <string>
#include <string_view>
#include <vector>

#include "panto/tracking/sensor_setup.hpp"

namespace panto::io {

/// Reads a file. Links and joints are looked up by who has the model. @throws FormatError ("path:line: ...")
/// naming the key and what would be right.
[[nodiscard]] SensorSetup read_sensors(const std::string& path);
/// The same from a text; `name` stands for the path in messages.
[[nodiscard]] SensorSetup read_sensors(std::string_view text, const std::string& name);

/// A text that reads back to the same, rotations and vectors to 1e-9. `heading` stands before it, a remark
/// behind each sensor, both as comments. @throws FormatError for a name that is not UTF-8.
[[nodiscard]] std::string sensors_text(const SensorSetup& file, const std::string& heading = "",
                                       const std::vector<std::string>& remarks = {});

}  // namespace panto::io
