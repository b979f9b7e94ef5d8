#pragma once
// Reads triangles of mesh files: STL (binary and ASCII), Wavefront OBJ, Collada DAE. Shapes only: no colours,
// no textures.

#include <Eigen/Core>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "panto/io/open_model.hpp"

namespace panto::io {

/// Size limits of a mesh file. Larger files are refused before memory is allocated.
inline constexpr std::size_t kMeshMaxBytes = std::size_t{64} << 20;
inline constexpr std::size_t kMeshMaxTriangles = 2'000'000;

/// Reads a mesh by the extension of `path` (.stl, .obj, .dae). Merges equal points of an STL. @throws
/// FormatError "path: ..." with the line, byte or element and a valid value.
[[nodiscard]] TriangleMesh read_mesh(const std::string& path);
/// The same for bytes; `name` replaces the path and gives the extension.
[[nodiscard]] TriangleMesh read_mesh(std::string_view bytes, const std::string& name);

/// Returns a coarser mesh of at most `most` triangles: merges the points in each cell of a grid, as fine as
/// possible. A small mesh stays unchanged.
[[nodiscard]] TriangleMesh decimated(const TriangleMesh& mesh, std::size_t most);

}  // namespace panto::io
