#pragma once
// Opens robots with all that later steps need: model, map, shapes of the feet.

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "panto/io/link_meshes.hpp"
#include "panto/io/robot_map_file.hpp"
#include "panto/model/human.hpp"
#include "panto/robot/map.hpp"
#include "panto/robot/soles.hpp"

namespace panto::io {

/// What was opened for a robot.
struct RobotFile {
  std::string name;  ///< as it was asked for
  Model model;
  std::optional<robot::Map> map = std::nullopt;   ///< of a map file; unset: to be found from the model
  std::string model_name = {};                    ///< the model as the map file names it; empty without one
  std::vector<robot::LinkPoints> feet = {};       ///< points of the feet's shapes; empty: it is no URDF
  std::string urdf = {};                          ///< path of its URDF; empty: it has none
  std::shared_ptr<const UrdfShapes> shapes = {};  ///< of its URDF; null: it has none, or it came as bytes
  std::vector<std::string> notes = {};            ///< decisions of the readers, for people
};

/// Gets the bytes of a file as another file names it: the model of a map, a mesh of a URDF. Nothing where it
/// is not there.
using OpenFile = std::function<std::optional<std::string>(const std::string& name)>;

/// Opens a robot: a shipped name, a URDF, a model table or chain, or a robot map file (.toml) with its model.
/// `subject`: sizes a human that a map is for. Whether the map fits is not checked: robot::check_robot_map.
/// @throws ConfigError for a name that is none, FormatError for a bad file.
[[nodiscard]] RobotFile open_robot(const std::string& name,
                                   const SubjectDimensions& subject = scaled_subject(1.75));
/// Opens a robot from the bytes of a file: needs no file system. `name` stands for the path in messages; its
/// extension tells the format. `open_file` gets a map's model, unless that ships with Panto, and meshes; it
/// may be empty. @throws as above; FormatError for a map whose model is not there.
[[nodiscard]] RobotFile open_robot(std::string bytes, const std::string& name, const OpenFile& open_file,
                                   const SubjectDimensions& subject = scaled_subject(1.75));

/// Opens the model that a robot map at `path` is for. @throws FormatError naming the map.
[[nodiscard]] Model model_of_robot_map(const RobotMapFile& map, const std::string& path,
                                       const SubjectDimensions& subject, std::vector<std::string>& notes);

/// Returns the shapes of a URDF's links that are seen, small enough for a page; what is not there, or was
/// made coarser, is added to `notes`. Links that the model does not have are left out.
[[nodiscard]] std::vector<LinkMesh> page_meshes(const UrdfShapes& urdf, const Model& model,
                                                std::vector<std::string>& notes);

}  // namespace panto::io
