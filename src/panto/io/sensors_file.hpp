#pragma once
// Which inertial sensor sits where on a model, as small TOML files that people edit: docs/formats/sensors.md.

#include <string>
#include <string_view>
#include <vector>

#include "panto/tracking/inertial_tracker.hpp"

namespace panto::io {

/// A file of sensors.
struct SensorsFile {
  InertialSetup setup;
  bool has_field = false;    ///< a reference field is given; without, `setup.filter.magnetic` is Off
  bool says_refine = false;  ///< `places` or `lengths` stand under `[refine]`
  bool soles = false;        ///< `contacts = "soles"`: those of a human's feet, found by who has the model
  /// Trembling faster than this is taken out of the recording before anything is tracked [s]; 0: it is not.
  double steadied = 0.0;
};

/// Reads a file. Links and joints are looked up by who has the model. @throws FormatError ("path:line: ...")
/// naming the key and what would be right.
[[nodiscard]] SensorsFile read_sensors(const std::string& path);
/// The same from a text; `name` stands for the path in messages.
[[nodiscard]] SensorsFile read_sensors(std::string_view text, const std::string& name);

/// A text that reads back to the same, rotations and vectors to 1e-9. `heading` stands before it, a remark
/// behind each sensor, both as comments. @throws FormatError for a name that is not UTF-8.
[[nodiscard]] std::string sensors_text(const SensorsFile& file, const std::string& heading = "",
                                       const std::vector<std::string>& remarks = {});

}  // namespace panto::io
