#pragma once
// Robot maps as small TOML files that people edit: which link follows which segment, how their frames sit in
// each other, the rest pose. The format: docs/formats/robot_map.md.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "panto/model/human.hpp"
#include "panto/robot/map.hpp"

namespace panto::io {

/// What a map may hold at most. Larger files are refused before memory is spent on them.
inline constexpr std::size_t kRobotMapMaxBytes = std::size_t{1} << 20;

/// A map with the model that it is for.
struct RobotMapFile {
  std::string model;  ///< a URDF's path, relative ones from the map's folder, or a shipped name; as written
  robot::Map map;
};

/// Text of a map, reasons and notes as comments. `model` is what a reader looks the robot up by. Offsets are
/// rounded to 1e-9. @throws FormatError when a name is not UTF-8, which TOML cannot hold.
[[nodiscard]] std::string write_robot_map(const robot::MapProposal& proposal, const std::string& model);

/// Reads a map. @throws FormatError ("path:line: ...") naming the key and what would be right. Whether it
/// fits a model: robot::check_robot_map.
[[nodiscard]] RobotMapFile read_robot_map(const std::string& path);
/// The same from a text; `name` stands for the path in messages.
[[nodiscard]] RobotMapFile read_robot_map(std::string_view text, const std::string& name);

/// The model's path or name as a program should look it up: a path that ends in .urdf and is relative is
/// taken from the map's folder, anything else stays.
[[nodiscard]] std::string model_of_map(const RobotMapFile& file, const std::string& map_path);

/// True when a file's first bytes are those of a robot map: a `kind = "robot map"` line.
[[nodiscard]] bool is_robot_map(std::string_view head);

/// Returns true for a TOML file that says it is a robot map. @throws FormatError when it cannot be read.
[[nodiscard]] bool is_robot_map_file(const std::string& path);

/// Opens the model that a robot map at `path` is for. @throws FormatError naming the map.
[[nodiscard]] Model model_of_robot_map(const RobotMapFile& map, const std::string& path,
                                       const SubjectDimensions& subject, std::vector<std::string>& notes);

/// Returns the URDF that --robot names, directly or through a robot map; empty where there is none.
[[nodiscard]] std::string urdf_behind(const std::string& name);

}  // namespace panto::io
