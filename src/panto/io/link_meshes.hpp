#pragma once
// Reads a robot's shapes as triangles.

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "panto/io/mesh_file.hpp"
#include "panto/io/open_model.hpp"
#include "panto/io/urdf_shapes.hpp"

namespace panto::io {

/// The shapes of a robot.
struct LinkMeshes {
  std::vector<LinkMesh> meshes;
  std::size_t triangles = 0;         ///< of all shapes, before meshes were made coarser
  std::vector<std::string> missing;  ///< missing meshes, as written in the file
  std::vector<std::string> notes;    ///< unreadable shapes, one sentence each
};

/// Returns the bytes of a mesh named as in the robot's file ("package://robot/hand.stl"); nothing when
/// missing. May throw FormatError, which is noted.
using OpenMesh = std::function<std::optional<std::string>(const std::string& mesh)>;

/// Reads the `wanted` shapes. Turns boxes, cylinders, capsules and ellipsoids into triangles; makes meshes of
/// more than `most` triangles coarser.
[[nodiscard]] LinkMeshes read_link_meshes(const RobotShapes& robot, const OpenMesh& open_mesh,
                                          const std::function<bool(const LinkShape&)>& wanted,
                                          std::size_t most = kMeshMaxTriangles);
/// The same for the shapes of a file; `find_mesh_file` finds the meshes.
[[nodiscard]] LinkMeshes read_link_meshes(const RobotShapes& robot,
                                          const std::function<bool(const LinkShape&)>& wanted,
                                          std::size_t most = kMeshMaxTriangles);

}  // namespace panto::io
