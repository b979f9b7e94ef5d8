#pragma once
// The bones that VRM's extensions of glTF name, and VRM animations (docs/formats/gltf.md). Internal.

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "panto/io/gltf_file.hpp"

namespace panto::io {

struct GltfHumanoid {
  std::string extension;                                   ///< "VRMC_vrm", "VRMC_vrm_animation", "VRM"
  std::vector<std::pair<std::string, std::size_t>> bones;  ///< by VRM's name of that version: the node
};

/// Returns the humanoid of a file; without bones where it has none. @throws FormatError for a node that does
/// not exist.
[[nodiscard]] GltfHumanoid humanoid_of(const GltfFile& file);

/// Returns whether keys of a VRM animation turn a bone: all but the eyes, which have `lookAt`.
[[nodiscard]] bool vrm_animates(const std::string& bone);

/// Returns a file's nodes as a VRM animation without keys: bones by their names of VRM 1.0, no meshes, facing
/// +z. The nodes keep their numbers.
/// Source: VRMC_vrm_animation-1.0 of the VRM Consortium.
[[nodiscard]] nlohmann::json vrm_animation_of(const GltfFile& file, const GltfHumanoid& humanoid);

}  // namespace panto::io
