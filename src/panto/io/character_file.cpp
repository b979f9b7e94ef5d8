#include "panto/io/character_file.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>

#include "panto/base/error.hpp"
#include "panto/io/text_scanner.hpp"

namespace panto::io {

bool is_character_file(const std::string& path) {
  constexpr std::array<std::string_view, 5> known{".bvh", ".glb", ".gltf", ".vrm", ".vrma"};
  return std::find(known.begin(), known.end(), extension_of(path)) != known.end();
}

std::unique_ptr<StateFile> create_character_file(const Destination& to, const Model& model,
                                                 std::shared_ptr<const BvhCharacter> character,
                                                 const StateFileOptions& options) {
  std::error_code none;
  if (to.bytes == nullptr && std::filesystem::equivalent(to.path, character->clip.name, none))
    throw ConfigError("output '" + to.path + "' is the character's own file: give another name");
  if (extension_of(to.path) == ".bvh") return create_bvh_character(to, model, std::move(character), options);
  if (!character->gltf)
    throw ConfigError("output '" + to.path + "': the character '" + character->clip.name +
                      "' is a BVH, without meshes; write its motion as .bvh, or give a .glb to move");
  return create_gltf_character(to, model, std::move(character), options);
}

}  // namespace panto::io
