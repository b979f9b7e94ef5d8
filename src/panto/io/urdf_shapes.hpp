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

/// Returns shapes in the order of the file, at most 10 000. Adds problems of shapes to `notes`, with their
/// lines.
/// @throws FormatError when the text is not XML.
[[nodiscard]] std::vector<LinkShape> read_urdf_shapes(std::string_view text, const std::string& name,
                                                      std::vector<std::string>& notes);
/// The shapes of a robot's file, read once.
struct RobotShapes {
  std::string path;  ///< of the file; meshes are found from it
  std::vector<LinkShape> shapes;
  std::vector<std::string> notes;  ///< unreadable shapes, one sentence each
};
/// Reads the shapes of a URDF file. @throws FormatError when it cannot be read.
[[nodiscard]] RobotShapes read_shapes_of(const std::string& path);
/// The same for the text of the file at `path`.
[[nodiscard]] RobotShapes read_shapes_of(std::string_view urdf, const std::string& path);

/// Returns the file of a mesh's name; empty when not found. Searches `package://NAME/REST` in the folders
/// above the URDF, in a folder NAME within them, and in those of ROS_PACKAGE_PATH; other names beside the
/// URDF, then in the folder above it. `package_path`: folders with ':' between them.
[[nodiscard]] std::string find_mesh_file(const std::string& mesh, const std::string& urdf_path,
                                         const std::string& package_path);
/// The same with the environment's ROS_PACKAGE_PATH.
[[nodiscard]] std::string find_mesh_file(const std::string& mesh, const std::string& urdf_path);

}  // namespace panto::io
