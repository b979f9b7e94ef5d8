#pragma once
// A robot's shapes as triangles: what its URDF names, read from wherever it is.

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "panto/io/mesh_file.hpp"
#include "panto/io/open_model.hpp"
#include "panto/io/urdf_shapes.hpp"

namespace panto::io {

/// What a URDF's shapes are.
struct LinkMeshes {
  std::vector<LinkMesh> meshes;
  std::size_t triangles = 0;         ///< of all of them, before any was made coarser
  std::vector<std::string> missing;  ///< meshes that are not there, as the file writes them
  std::vector<std::string> notes;    ///< what could not be read, one sentence each
};

/// Gets the bytes of a mesh as the URDF names it ("package://robot/hand.stl"); nothing where it is not there.
/// May throw FormatError, which is noted.
using OpenMesh = std::function<std::optional<std::string>(const std::string& mesh)>;

/// Shapes of the links that are `wanted`, from the text of a URDF. Boxes, cylinders and spheres become
/// triangles; meshes of more than `most` triangles are made coarser. @throws FormatError when the URDF itself
/// cannot be read.
[[nodiscard]] LinkMeshes read_link_meshes(std::string_view urdf, const std::string& name,
                                          const OpenMesh& open_mesh,
                                          const std::function<bool(const LinkShape&)>& wanted,
                                          std::size_t most = kMeshMaxTriangles);
/// The same of a file, meshes from where `find_mesh_file` finds them.
[[nodiscard]] LinkMeshes read_link_meshes(const std::string& urdf_path,
                                          const std::function<bool(const LinkShape&)>& wanted,
                                          std::size_t most = kMeshMaxTriangles);

}  // namespace panto::io
