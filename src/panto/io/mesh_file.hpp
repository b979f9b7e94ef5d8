#pragma once
// Triangles of mesh files: STL (binary and ASCII), Wavefront OBJ, Collada DAE. Shapes only: no colours, no
// textures.

#include <Eigen/Core>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "panto/io/open_model.hpp"

namespace panto::io {

/// What a mesh file may hold at most. Larger ones are refused before memory is spent on them.
inline constexpr std::size_t kMeshMaxBytes = std::size_t{64} << 20;
inline constexpr std::size_t kMeshMaxTriangles = 2'000'000;

/// Reads by the extension of `path` (.stl, .obj, .dae). Equal points of an STL become one.
/// @throws FormatError "path: ..." with the line, byte or element and what would be right.
[[nodiscard]] TriangleMesh read_mesh(const std::string& path);
/// The same of bytes; `name` (with its extension) stands for the path.
[[nodiscard]] TriangleMesh read_mesh(std::string_view bytes, const std::string& name);

/// A coarser mesh of at most `most` triangles: points in one cell of a grid become one, with the finest grid
/// that does. A mesh that is small enough already stays as it is.
[[nodiscard]] TriangleMesh decimated(const TriangleMesh& mesh, std::size_t most);

}  // namespace panto::io
