#pragma once
// A character's motion in its own file's hierarchy: BVH, or the character's glTF with an animation
// (docs/character.md). Internal.

#include <memory>
#include <string>

#include "panto/io/bvh_character.hpp"

namespace panto::io {

/// Returns whether files of this name hold a character with its motion: .bvh, .glb, .gltf, .vrm, .vrma.
[[nodiscard]] bool is_character_file(const std::string& path);

/// Writes States of the character's model into its hierarchy. Frames are steady, `resample_hz` or `rate_hz`,
/// from the first State on. Kept in memory until `close()`. @throws ConfigError for glTF of a character that
/// is BVH, for another container than the character's, and for a rate out of range.
[[nodiscard]] std::unique_ptr<StateFile> create_character_file(const Destination& to, const Model& model,
                                                               std::shared_ptr<const BvhCharacter> character,
                                                               const StateFileOptions& options);

/// As BVH: names, offsets, channels, axes and unit are the character's.
[[nodiscard]] std::unique_ptr<StateFile> create_bvh_character(const Destination& to, const Model& model,
                                                              std::shared_ptr<const BvhCharacter> character,
                                                              const StateFileOptions& options);

/// As glTF: the character's own file, meshes and all, with one more animation, "Panto", before its others.
[[nodiscard]] std::unique_ptr<StateFile> create_gltf_character(const Destination& to, const Model& model,
                                                               std::shared_ptr<const BvhCharacter> character,
                                                               const StateFileOptions& options);

}  // namespace panto::io
