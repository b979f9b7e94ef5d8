#pragma once
// The shapes that a URDF gives its links: boxes, cylinders, spheres and meshes. A shape that cannot be read
// is passed over and said; a model needs none.

#include <Eigen/Core>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace panto::io {

struct LinkShape {
  enum class Kind : unsigned char { Box, Cylinder, Sphere, Mesh };
  std::string link;
  bool collision = false;  ///< else visual
  Kind kind = Kind::Box;
  /// Box: edges along its x, y, z [m]; cylinder: radius, length along z, 0; sphere: radius, 0, 0; mesh: scale
  /// of its axes.
  Eigen::Vector3d size = Eigen::Vector3d::Ones();
  std::string mesh;                                    ///< as the file writes it
  Eigen::Matrix3d R_LG = Eigen::Matrix3d::Identity();  ///< the shape in its link
  Eigen::Vector3d p_LG = Eigen::Vector3d::Zero();      ///< [m]
  std::optional<std::array<double, 4>> rgba = std::nullopt;
};

/// Shapes in the order of the file, at most 10 000. What is wrong with one goes to `notes`, with its line.
/// @throws FormatError when the text is not XML.
[[nodiscard]] std::vector<LinkShape> read_urdf_shapes(std::string_view text, const std::string& name,
                                                      std::vector<std::string>& notes);
/// The same of a file. @throws FormatError when it cannot be read.
[[nodiscard]] std::vector<LinkShape> read_urdf_shapes_file(const std::string& path,
                                                           std::vector<std::string>& notes);

/// The file that a mesh's name means; empty where there is none. `package://NAME/REST` is looked for in the
/// folders above the URDF, in a folder NAME within them, and in those of ROS_PACKAGE_PATH; another name
/// beside the URDF, then in the folder above it. `package_path`: folders with ':' between them.
[[nodiscard]] std::string find_mesh_file(const std::string& mesh, const std::string& urdf_path,
                                         const std::string& package_path);
/// With the environment's ROS_PACKAGE_PATH.
[[nodiscard]] std::string find_mesh_file(const std::string& mesh, const std::string& urdf_path);

}  // namespace panto::io
