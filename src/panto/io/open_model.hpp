#pragma once
// Opens models and robots, whatever their format: from names, files or the bytes of files.

#include <Eigen/Core>
#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "panto/model/human.hpp"
#include "panto/model/model.hpp"
#include "panto/robot/map.hpp"

namespace panto::io {

/// Returns the names of the models that ship with Panto: humans, then robots.
[[nodiscard]] const std::vector<std::string>& shipped_models();

/// Returns true for robots and files, whose sizes do not follow a subject; false for humans and for no model
/// at all.
[[nodiscard]] bool has_own_size(const std::string& name);

/// Opens the model that `name` names: a shipped human scaled to `subject`, a shipped robot, a URDF (.urdf), a
/// model table or a chain by Denavit and Hartenberg (.toml). Decisions of the reader are added to `notes`.
/// @throws ConfigError for a name that is none (listing the shipped ones) and for a robot map; FormatError
/// "path:line: ..." for a bad file.
[[nodiscard]] Model open_model(const std::string& name, const SubjectDimensions& subject,
                               std::vector<std::string>& notes);
/// Opens a model from the bytes of a file: needs no file system. `name` stands for the path in messages; its
/// extension tells the format. @throws as above.
[[nodiscard]] Model open_model(std::string bytes, const std::string& name, std::vector<std::string>& notes);
/// What was opened for a robot.
struct RobotFile {
  std::string name;  ///< as it was asked for
  Model model;
  std::optional<robot::Map> map = std::nullopt;  ///< of a map file; unset: to be found from the model
  std::string model_name = {};                   ///< the model as the map file names it; empty without one
  std::vector<robot::LinkPoints> feet = {};      ///< points of the feet's shapes; empty: it is no URDF
  std::string urdf = {};                         ///< path of its URDF; empty: it has none
  std::vector<std::string> notes = {};           ///< decisions of the readers, for people
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

/// A shape as triangles.
struct TriangleMesh {
  std::vector<Eigen::Vector3f> points;  ///< [m], or what the scale of the shape makes metres
  std::vector<std::array<std::uint32_t, 3>> triangles;
};

/// A shape of a link.
struct LinkMesh {
  std::string link;
  bool collision = false;
  std::optional<std::array<double, 4>> rgba = std::nullopt;
  TriangleMesh mesh;  ///< in the link's frame [m]
};

/// Returns the shapes of a URDF's links that are seen, small enough for a page; what is not there, or was
/// made coarser, is added to `notes`. Links that the model does not have are left out.
[[nodiscard]] std::vector<LinkMesh> page_meshes(const std::string& urdf_path, const Model& model,
                                                std::vector<std::string>& notes);

}  // namespace panto::io
