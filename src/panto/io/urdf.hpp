#pragma once
// Robot models in the Unified Robot Description Format (URDF): links, joints, limits, mimics and inertias.
// Shapes, transmissions, sensors and simulator extensions are passed over.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "panto/model/model.hpp"

namespace panto::io {

/// What a URDF may hold at most. Larger files are refused before memory is spent on them.
inline constexpr std::size_t kUrdfMaxBytes = std::size_t{32} << 20;
inline constexpr std::size_t kUrdfMaxTags = 500'000;          ///< '<' in the file
inline constexpr std::size_t kUrdfMaxAttributes = 1'000'000;  ///< '=' in the file
inline constexpr std::size_t kUrdfMaxDepth = 256;             ///< elements inside one another
inline constexpr std::size_t kUrdfMaxLinks = 10'000;

/// A limit of this size or more means "none". URDF has no infinity: `write_urdf` puts 1e308 where the format
/// demands a number.
inline constexpr double kUrdfNoLimit = 1e300;

/// A speed limit of this size or more [rad/s], [m/s] means "none": files for simulators put 50000 where the
/// format demands a number, and no joint turns 160 times a second.
inline constexpr double kUrdfNoSpeed = 1000.0;

struct UrdfOptions {
  bool floating_base = true;  ///< false: the root link stays where State says; URDF does not tell
};

/// The model in `text`; `name` is what messages call it (a path). Frames and units are URDF's own, which are
/// ours: x forward and z up by custom, metres, radians, rpy = Rz(y) Ry(p) Rx(r).
///
/// - A speed limit that is missing or 0 (exporters' placeholder) means none, and is noted.
/// - A revolute or prismatic joint needs a <limit>; a missing lower or upper is 0, as URDF has it.
/// - A floating joint between a root link and its only child is the floating base: joint and root link go.
/// - Inertias are turned into link axes.
/// `notes`, if given, gets one sentence for every such decision.
/// @throws FormatError "path:line: <joint name='knee'>: ..." with what would be right.
[[nodiscard]] ModelSpec read_urdf_spec(std::string_view text, const std::string& name,
                                       const UrdfOptions& options = {},
                                       std::vector<std::string>* notes = nullptr);

/// The model in a file. @throws FormatError as above, or when the file cannot be read.
[[nodiscard]] Model read_urdf(const std::string& path, const UrdfOptions& options = {},
                              std::vector<std::string>* notes = nullptr);

/// The model in a text. @throws FormatError as above.
[[nodiscard]] Model read_urdf(std::string_view text, const std::string& name, const UrdfOptions& options,
                              std::vector<std::string>* notes = nullptr);

/// `model` as URDF; reading it gives the same links, joints, limits and mimics (rotations within 1e-15, all
/// else to the bit). What URDF cannot hold is left out, and `notes`, if given, says so: coupled rows that are
/// not mimics (also listed in a comment of the file), a rest pose, a base that is fixed.
[[nodiscard]] std::string write_urdf(const Model& model, std::vector<std::string>* notes = nullptr);

/// The same, to a file that appears complete or not at all. @throws Error when it cannot be written.
void write_urdf_file(const Model& model, const std::string& path, std::vector<std::string>* notes = nullptr);

}  // namespace panto::io
