#pragma once
// Reads a robot's shapes, as named in its URDF, as triangles.

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "panto/io/mesh_file.hpp"
#include "panto/io/open_model.hpp"
#include "panto/io/urdf_shapes.hpp"

namespace panto::io {

/// The shapes of a URDF.
struct LinkMeshes {
  std::vector<LinkMesh> meshes;
  std::size_t triangles = 0;         ///< of all shapes, before meshes were made coarser
  std::vector<std::string> missing;  ///< missing meshes, as written in the file
  std::vector<std::string> notes;    ///< unreadable shapes, one sentence each
};

/// Returns the bytes of a mesh named as in the URDF ("package://robot/hand.stl"); nothing when missing. May
/// throw FormatError, which is noted.
using OpenMesh = std::function<std::optional<std::string>(const std::string& mesh)>;

/// Reads shapes of the `wanted` links from the text of a URDF. Turns boxes, cylinders and spheres into
/// triangles; makes meshes of more than `most` triangles coarser. @throws FormatError when the URDF itself
/// cannot be read.
[[nodiscard]] LinkMeshes read_link_meshes(std::string_view urdf, const std::string& name,
                                          const OpenMesh& open_mesh,
                                          const std::function<bool(const LinkShape&)>& wanted,
                                          std::size_t most = kMeshMaxTriangles);
/// The same for the shapes of a file; `find_mesh_file` finds the meshes.
[[nodiscard]] LinkMeshes read_link_meshes(const UrdfShapes& urdf,
                                          const std::function<bool(const LinkShape&)>& wanted,
                                          std::size_t most = kMeshMaxTriangles);

}  // namespace panto::io
