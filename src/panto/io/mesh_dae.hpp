#pragma once
// Triangles of Collada files. Used by mesh_file only.

#include <string>
#include <string_view>

#include "panto/io/mesh_file.hpp"

namespace panto::io::detail {

/// Triangles of all meshes that the scene places (all there are, without a scene), in metres and with z up.
/// @throws FormatError
[[nodiscard]] TriangleMesh read_dae(std::string_view bytes, const std::string& name);

}  // namespace panto::io::detail
