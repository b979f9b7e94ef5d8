#pragma once
// Opens robots with everything that later steps need: model, map, shapes of the feet.

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "panto/io/link_meshes.hpp"
#include "panto/io/robot_map_file.hpp"
#include "panto/model/human.hpp"
#include "panto/robot/map.hpp"
#include "panto/robot/soles.hpp"

namespace panto::io {

/// An opened robot.
struct RobotFile {
  std::string name;  ///< as requested
  Model model;
  std::optional<robot::Map> map = std::nullopt;  ///< from a map file; unset: find it from the model
  std::string model_name = {};               ///< the model's name in the map file; empty without a map file
  std::vector<robot::LinkPoints> feet = {};  ///< points of the feet's shapes; empty: not a URDF
  std::string urdf = {};                     ///< path of its URDF; empty: none
  std::vector<std::string> notes = {};       ///< decisions of the readers
};

/// Returns the bytes of a file that another file names: the model of a map, a mesh of a URDF. Nothing when
/// missing.
using OpenFile = std::function<std::optional<std::string>(const std::string& name)>;

/// Opens a robot: a shipped name, a URDF, a model table or chain, or a robot map file (.toml) with its model.
/// `subject`: sizes of a human model that a map is for. Does not check the map; see robot::check_robot_map.
/// @throws ConfigError for an unknown name, FormatError for a bad file.
[[nodiscard]] RobotFile open_robot(const std::string& name,
                                   const SubjectDimensions& subject = scaled_subject(1.75));
/// Opens a robot from the bytes of a file; needs no file system. Messages call it `name`, whose extension
/// gives the format. `open_file` returns meshes, and a map's model unless it ships with Panto; it may be
/// empty. @throws as above; FormatError for a map whose model is missing.
[[nodiscard]] RobotFile open_robot(std::string bytes, const std::string& name, const OpenFile& open_file,
                                   const SubjectDimensions& subject = scaled_subject(1.75));

/// Opens the model of the robot map at `path`. @throws FormatError naming the map.
[[nodiscard]] Model model_of_robot_map(const RobotMapFile& map, const std::string& path,
                                       const SubjectDimensions& subject, std::vector<std::string>& notes);

/// Returns the visual shapes of a URDF's links, small enough for a page; adds missing and simplified meshes
/// to `notes`. Links missing in the model are left out.
[[nodiscard]] std::vector<LinkMesh> page_meshes(const std::string& urdf_path, const Model& model,
                                                std::vector<std::string>& notes);

}  // namespace panto::io
