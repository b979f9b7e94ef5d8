#pragma once
// A robot's shapes as triangles: what its URDF names, read from wherever it is.

#include <functional>
#include <string>
#include <vector>

#include "panto/io/mesh_file.hpp"
#include "panto/io/urdf_shapes.hpp"

namespace panto::io {

struct LinkMesh {
  std::string link;
  bool collision = false;
  std::optional<std::array<double, 4>> rgba = std::nullopt;
  TriangleMesh mesh;  ///< in the link's frame [m]
};

/// What a URDF's shapes are.
struct LinkMeshes {
  std::vector<LinkMesh> meshes;
  std::size_t triangles = 0;         ///< of all of them, before any was made coarser
  std::vector<std::string> missing;  ///< meshes that are not there, as the file writes them
  std::vector<std::string> notes;    ///< what could not be read, one sentence each
};

/// Shapes of the links that are `wanted`. Boxes, cylinders and spheres become triangles; meshes of more than
/// `most` triangles are made coarser. @throws FormatError when the URDF itself cannot be read.
[[nodiscard]] LinkMeshes read_link_meshes(const std::string& urdf_path,
                                          const std::function<bool(const LinkShape&)>& wanted,
                                          std::size_t most = kMeshMaxTriangles);

}  // namespace panto::io
