#pragma once
// Which inertial sensor sits where on a model, as small TOML files that people edit: docs/formats/sensors.md.

#include <string>
#include <string_view>

#include "panto/pipeline/inertial_tracker.hpp"

namespace panto::io {

/// A file of sensors.
struct SensorsFile {
  InertialSetup setup;
  bool has_field = false;  ///< a reference field is given; without, `setup.filter.magnetic` is Off
};

/// Reads a file. Links and joints are looked up by who has the model. @throws FormatError ("path:line: ...")
/// naming the key and what would be right.
[[nodiscard]] SensorsFile read_sensors(const std::string& path);
/// The same from a text; `name` stands for the path in messages.
[[nodiscard]] SensorsFile read_sensors(std::string_view text, const std::string& name);

}  // namespace panto::io
