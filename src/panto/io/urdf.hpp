#pragma once
// Reads and writes robot models in the Unified Robot Description Format (URDF): links, joints, limits, mimics
// and inertias. Ignores shapes, transmissions, sensors and simulator extensions.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "panto/model/model.hpp"

namespace panto::io {

/// Size limits of a URDF. Larger files are refused before memory is allocated.
inline constexpr std::size_t kUrdfMaxBytes = std::size_t{32} << 20;
inline constexpr std::size_t kUrdfMaxTags = 500'000;          ///< '<' in the file
inline constexpr std::size_t kUrdfMaxAttributes = 1'000'000;  ///< '=' in the file
inline constexpr std::size_t kUrdfMaxDepth = 256;             ///< nested elements
inline constexpr std::size_t kUrdfMaxLinks = 10'000;

/// Limits of this size or more mean "none". URDF has no infinity: `write_urdf` writes 1e308 when the format
/// requires a number.
inline constexpr double kUrdfNoLimit = 1e300;

/// Speed limits of this size or more [rad/s], [m/s] mean "none": files for simulators write 50000 when the
/// format requires a number, and no joint turns 160 times a second.
inline constexpr double kUrdfNoSpeed = 1000.0;

struct UrdfOptions {
  /// True: the base is fixed if the root link is the world (`world`, `map`, `odom` ..., without mass), else
  /// it floats. False: it is fixed. `with_base` changes it.
  bool floating_base = true;
};

/// Reads the model in `text`; messages call it `name` (a path). Frames and units are those of URDF, which are
/// ours: x forward and z up by custom, metres, radians, rpy = Rz(y) Ry(p) Rx(r).
///
/// - A missing or zero speed limit (exporters' placeholder) means none, and is noted. - A revolute or
/// prismatic joint needs a <limit>; a missing lower or upper is 0, as URDF defines. - A floating joint
/// between a root link and its only child is the floating base: joint and root link are removed. - Inertias
/// are turned into link axes. `notes`, if given, receives one sentence for every such decision.
/// @throws FormatError "path:line: <joint name='knee'>: ..." with a valid value.
[[nodiscard]] ModelSpec read_urdf_spec(std::string_view text, const std::string& name,
                                       const UrdfOptions& options = {},
                                       std::vector<std::string>* notes = nullptr);

/// Reads the model in a file. @throws FormatError as above, or when the file cannot be read.
[[nodiscard]] Model read_urdf(const std::string& path, const UrdfOptions& options = {},
                              std::vector<std::string>* notes = nullptr);

/// Reads the model in a text. @throws FormatError as above.
[[nodiscard]] Model read_urdf(std::string_view text, const std::string& name, const UrdfOptions& options,
                              std::vector<std::string>* notes = nullptr);

/// Returns `model` as URDF; reading it gives the same links, joints, limits and mimics (rotations within
/// 1e-15, everything else to the bit). Omits what URDF cannot represent and lists it in `notes`, if given:
/// coupled rows that are not mimics (also listed in a comment of the file), a rest pose, a fixed base.
[[nodiscard]] std::string write_urdf(const Model& model, std::vector<std::string>* notes = nullptr);

/// Writes it to a file that appears complete or not at all. @throws Error when it cannot be written.
void write_urdf_file(const Model& model, const std::string& path, std::vector<std::string>* notes = nullptr);

}  // namespace panto::io
