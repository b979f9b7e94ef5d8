#pragma once
// The shapes of a robot's links, whatever its format, and their reader for URDF. An unreadable shape is
// ignored and noted; a model needs none.

#include <Eigen/Core>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace panto::io {

/// Limits of the readers of shapes: shapes of a robot, notes about bad ones, positions and edges [m].
inline constexpr std::size_t kMostShapes = 10'000, kMostShapeNotes = 20;
inline constexpr double kLargestShape = 1e4;

struct LinkShape {
  enum class Kind : unsigned char { Box, Cylinder, Sphere, Mesh, Capsule, Ellipsoid };
  std::string link;
  bool collision = false;  ///< else visual
  Kind kind = Kind::Box;
  /// Box: edges along its x, y, z [m]; cylinder: radius, length along z, 0; capsule: the same, without its
  /// ends; sphere: radius, 0, 0; ellipsoid: half axes; mesh: scale of its axes.
  Eigen::Vector3d size = Eigen::Vector3d::Ones();
  std::string mesh;                                    ///< as written in the file
  Eigen::Matrix3d R_LG = Eigen::Matrix3d::Identity();  ///< the shape in its link
  Eigen::Vector3d p_LG = Eigen::Vector3d::Zero();      ///< [m]
  std::optional<std::array<double, 4>> rgba = std::nullopt;
};

/// The shapes of a robot's file, read once.
struct RobotShapes {
  std::string path;                            ///< of the file; meshes are found from it
  std::vector<LinkShape> shapes;               ///< in the order of the file, at most 10 000
  std::vector<std::string> notes;              ///< unreadable shapes with their lines, one sentence each
  std::string mesh_dir = {};                   ///< of a URDF's <mujoco><compiler meshdir>, from its folder
  std::vector<std::string> package_dirs = {};  ///< folders of packages or of meshes, searched last
  bool missing_noted = false;                  ///< missing meshes are in the notes of the robot
};
/// Reads the shapes of a URDF file. @throws FormatError when it cannot be read or is not XML.
[[nodiscard]] RobotShapes read_shapes_of(const std::string& path);
/// The same for the text of the file at `path`.
[[nodiscard]] RobotShapes read_shapes_of(std::string_view urdf, const std::string& path);

/// Where the meshes of a robot's file may be.
struct MeshSearch {
  std::string path;                        ///< of the file
  std::string mesh_dir = {};               ///< from its folder
  std::vector<std::string> dirs = {};      ///< folders of packages or of meshes
  std::vector<std::string> packages = {};  ///< folders of packages, or packages
};

/// Returns the file of a mesh's name; empty when not found. Searches `package://NAME/REST` in the folders
/// above the file and in a folder NAME within them; other names beside the file, in the folder above it and
/// in `mesh_dir`, there also without their folders. Then it searches NAME in `packages`, and in `dirs` both,
/// also without their folders. Only files below the robot's folder (that above one called urdf, mjcf, ...), a
/// package (a folder with package.xml) above it or beside those, `packages` and `dirs` are found, links
/// followed.
[[nodiscard]] std::string find_mesh_file(const std::string& mesh, const MeshSearch& search);
/// Returns where the meshes of a robot may be; `packages` are the folders of ROS_PACKAGE_PATH.
[[nodiscard]] MeshSearch mesh_search(const RobotShapes& robot);

}  // namespace panto::io
