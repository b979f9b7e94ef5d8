#pragma once
// Reads triangles of Collada files. Used by mesh_file only.

#include <string>
#include <string_view>

#include "panto/io/mesh_file.hpp"

namespace panto::io::detail {

/// Reads the triangles of all meshes in the scene (of all meshes when there is no scene), in metres, z up.
/// @throws FormatError
[[nodiscard]] TriangleMesh read_dae(std::string_view bytes, const std::string& name);

}  // namespace panto::io::detail
