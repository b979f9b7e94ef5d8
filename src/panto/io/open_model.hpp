#pragma once
// Opens models and robots, whatever their format: from names, files or the bytes of files.

#include <Eigen/Core>
#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "panto/model/human.hpp"
#include "panto/model/model.hpp"
#include "panto/recording/recording.hpp"
#include "panto/robot/map.hpp"

namespace panto::io {

/// Returns the names of the models that ship with Panto: humans, then robots.
[[nodiscard]] const std::vector<std::string>& shipped_models();

/// Returns true for robots and files, whose sizes do not depend on a subject; false for humans and unknown
/// models.
[[nodiscard]] bool has_own_size(const std::string& name);
/// Refuses a size for a model that has its own. @throws ConfigError with what to remove.
void check_scalable(const std::string& name);

/// Returns true for names of model files: .urdf, .xml and .mjcf (MuJoCo), .toml.
[[nodiscard]] bool is_model_file(const std::string& name);

/// Opens the model that `name` names: a shipped human scaled to `subject`, a shipped robot, a URDF (.urdf), a
/// MuJoCo model (.xml), a model table or a Denavit-Hartenberg chain (.toml). Adds decisions of the reader to
/// `notes`. @throws ConfigError for an unknown name (listing the shipped ones) and for a robot map;
/// FormatError "path:line:
/// ..." for a bad file.
[[nodiscard]] Model open_model(const std::string& name, const SubjectDimensions& subject,
                               std::vector<std::string>& notes);
/// Opens a model from the bytes of a file; needs no file system, and refuses <include>. Messages call it
/// `name`, whose extension gives the format. @throws as above.
[[nodiscard]] Model open_model(std::string bytes, const std::string& name, std::vector<std::string>& notes);

/// Returns true for names of files that `convert_model` writes: .urdf, .xml, .mjcf and .osim.
[[nodiscard]] bool is_written_model(const std::string& name);
/// Opens a model and writes it as URDF, or as MJCF or for OpenSim with capsules that fit its shapes; the file
/// appears complete or not at all. Adds what the format cannot hold to `notes`. @throws Error when it cannot
/// be written.
Model convert_model(const std::string& name, const SubjectDimensions& subject, const std::string& path,
                    std::vector<std::string>& notes);

struct RobotShapes;

/// An opened robot.
struct RobotFile {
  std::string name;  ///< as requested
  Model model;
  std::optional<robot::Map> map = std::nullopt;  ///< from a map file; unset: find it from the model
  std::string model_name = {};               ///< the model's name in the map file; empty without a map file
  std::vector<robot::LinkPoints> feet = {};  ///< points of the feet's shapes; empty: a format without shapes
  std::string urdf = {};                     ///< path of its URDF or MJCF; empty: none
  std::shared_ptr<const RobotShapes> shapes = {};  ///< of its links; null: none
  std::vector<robot::LinkFit> fits = {};           ///< of the model's capsules to these shapes
  std::vector<std::string> notes = {};             ///< decisions of the readers
  std::optional<BaseKind> base = std::nullopt;     ///< as asked for; unset: see `make_robot`
};

/// Returns the bytes of a file that another file names: the model of a map, a mesh of a robot, an include of
/// an MJCF. Nothing when missing.
using OpenFile = std::function<std::optional<std::string>(const std::string& name)>;

/// Opens a robot: a shipped name, a URDF or MJCF, a model table or chain, or a robot map file (.toml) with
/// its model. Fits capsules to the shapes of its links. `subject`: sizes of a human model that a map is for;
/// `package_dirs`: folders where its meshes may be too. Does not check the map; see robot::check_robot_map.
/// @throws ConfigError for an unknown name, FormatError for a bad file.
[[nodiscard]] RobotFile open_robot(const std::string& name,
                                   const SubjectDimensions& subject = scaled_subject(1.75),
                                   const std::vector<std::string>& package_dirs = {});

/// Opens a robot from the bytes of a file; needs no file system. Messages call it `name`, whose extension
/// gives the format. `open_file` returns meshes, includes, and a map's model unless it ships with Panto; it
/// may be empty. @throws as above; FormatError for a map whose model is missing.
[[nodiscard]] RobotFile open_robot(std::string bytes, const std::string& name, const OpenFile& open_file,
                                   const SubjectDimensions& subject = scaled_subject(1.75));

struct OpenedCharacter;

/// Opens a character, the skeleton of a BVH or glTF file, that any person can move (docs/character.md); see
/// `robot_of`. `person`: of the recording that moves it: if that has the same skeleton, its frames hold for
/// both, and rotations pass unchanged. `rig`: file of a map of the character's joints
/// (docs/formats/rig_map.md); empty: found. @throws FormatError for a file of another format, or without a
/// body; ModelError with the map's line for a map that names joints missing in the character.
[[nodiscard]] std::shared_ptr<const OpenedCharacter> open_character(const std::string& path,
                                                                    const RecordingInfo& person = {},
                                                                    const std::string& rig = {});

struct TriangleMesh {
  std::vector<Eigen::Vector3f> points;  ///< [m] after the scale of the shape
  std::vector<std::array<std::uint32_t, 3>> triangles;
};

/// A shape of a link.
struct LinkMesh {
  std::string link;
  bool collision = false;
  std::optional<std::array<double, 4>> rgba = std::nullopt;
  TriangleMesh mesh;  ///< in the link's frame [m]
};

/// Returns the visual shapes of a robot's links, small enough for a page, none for null; adds missing and
/// simplified meshes to `notes`. Links missing in the model are left out. `open_file`: that of `open_robot`,
/// for a robot opened from bytes.
[[nodiscard]] std::vector<LinkMesh> page_meshes(const RobotShapes* robot, const Model& model,
                                                std::vector<std::string>& notes,
                                                const OpenFile* open_file = nullptr);

}  // namespace panto::io
