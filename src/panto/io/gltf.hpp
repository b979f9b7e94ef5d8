#pragma once
// Skeletons and their animations in glTF 2.0: .glb, .gltf, .vrm, .vrma (docs/formats/gltf.md). Internal.

#include <memory>
#include <string>
#include <string_view>

#include "panto/io/bvh.hpp"
#include "panto/io/gltf_nodes.hpp"

namespace panto::io {

class Input;

/// Returns true for the first bytes of a glTF file, binary or text.
[[nodiscard]] bool is_gltf(std::string_view head);

/// Reads an animation, at a steady rate, as a skeleton clip whose frames are all parallel to the world at
/// rest; a file without one has no frames. `folder`: where buffers beside the file lie, empty for none.
/// `take`: the animation, by name or number from 1; empty: the first that turns joints. @throws FormatError
/// "name: place: ..."; ConfigError for an animation that is not there.
[[nodiscard]] BvhClip read_gltf(std::string_view bytes, const std::string& name,
                                const std::string& folder = {}, const std::string& take = {});

/// A file's skeleton, and the nodes that its joints are.
struct GltfSkeleton {
  BvhClip clip;
  GltfNodes nodes;
};

/// As `read_gltf`, for who writes into the file's own nodes. Not `animated`: no animation is looked at.
[[nodiscard]] GltfSkeleton read_gltf_skeleton(std::string_view bytes, const std::string& name,
                                              const std::string& folder = {}, bool animated = true,
                                              const std::string& take = {});

/// A skeleton from a BVH or glTF file.
struct SkeletonFile {
  BvhClip clip;
  std::shared_ptr<const GltfCharacter> gltf;  ///< null: BVH
};
/// Reads a BVH or glTF file, and keeps the latter's bytes. An animation of its own that cannot be read is a
/// note.
[[nodiscard]] SkeletonFile read_character_file(Input& input);
/// Reads a BVH or glTF file. `take`: of the latter, as for `read_gltf`.
[[nodiscard]] BvhClip read_skeleton(Input& input, const std::string& take = {});

}  // namespace panto::io
