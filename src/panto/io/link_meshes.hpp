#pragma once
// A robot's shapes as triangles: what its URDF names, read from wherever it is.

#include <functional>
#include <optional>
#include <string>
#include <string_view>
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
/// What a URDF file says of shapes, read once.
struct UrdfShapes {
  std::string path;  ///< of the file, from where meshes are found
  std::vector<LinkShape> shapes;
  std::vector<std::string> notes;  ///< what could not be read, one sentence each
};
/// Reads the shapes of a URDF file; or of its text, where it is open already. @throws FormatError.
[[nodiscard]] UrdfShapes read_shapes_of(const std::string& path);
[[nodiscard]] UrdfShapes read_shapes_of(std::string_view urdf, const std::string& path);
/// The same of a file, meshes from where `find_mesh_file` finds them.
[[nodiscard]] LinkMeshes read_link_meshes(const UrdfShapes& urdf,
                                          const std::function<bool(const LinkShape&)>& wanted,
                                          std::size_t most = kMeshMaxTriangles);

}  // namespace panto::io
