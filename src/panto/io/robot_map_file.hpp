#pragma once
// Reads and writes robot maps as small TOML files that people edit: links that follow segments, their frames,
// the rest pose. The format: docs/formats/robot_map.md.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "panto/model/human.hpp"
#include "panto/robot/map.hpp"

namespace panto::io {

/// Size limits of a map. Larger files are refused before memory is allocated.
inline constexpr std::size_t kRobotMapMaxBytes = std::size_t{1} << 20;

/// A map and its model.
struct RobotMapFile {
  std::string model;  ///< a URDF's path, relative ones from the map's folder, or a shipped name; as written
  robot::Map map;
};

/// Returns the text of a map with reasons and notes as comments. `model` identifies the robot for readers.
/// Offsets are rounded to 1e-9. @throws FormatError when a name is not UTF-8, which TOML requires.
[[nodiscard]] std::string write_robot_map(const robot::MapProposal& proposal, const std::string& model);

/// Reads a map. @throws FormatError ("path:line: ...") naming the key and a valid value.
/// robot::check_robot_map checks it against a model.
[[nodiscard]] RobotMapFile read_robot_map(const std::string& path);
/// The same for a text; messages call it `name`.
[[nodiscard]] RobotMapFile read_robot_map(std::string_view text, const std::string& name);

/// Returns the model's path or name: resolves a relative path to a file of a model from the map's folder,
/// keeps anything else.
[[nodiscard]] std::string model_of_map(const RobotMapFile& file, const std::string& map_path);

/// Returns true when a file's first bytes contain the line `kind = "robot map"`.
[[nodiscard]] bool is_robot_map(std::string_view head);

/// Returns true for a TOML file that is a robot map. @throws FormatError when it cannot be read.
[[nodiscard]] bool is_robot_map_file(const std::string& path);

}  // namespace panto::io
