#include "panto/io/gltf_humanoid.hpp"

#include <vector>

namespace panto::io {
namespace {

using Json = nlohmann::json;

constexpr const char* kExtension = "VRMC_vrm_animation";

// the name in VRM 1.0 of a bone of VRM 0.x: only those of thumbs differ
std::string renamed(const std::string& bone) {
  for (const std::string side : {"left", "right"}) {
    if (bone == side + "ThumbProximal") return side + "ThumbMetacarpal";
    if (bone == side + "ThumbIntermediate") return side + "ThumbProximal";
  }
  return bone;
}

// the nodes that no other carries
Json roots_of(const Json& nodes) {
  std::vector<bool> carried(nodes.size(), false);
  for (const Json& node : nodes)
    if (const Json* children = gltf_member(&node, "children"))
      for (const Json& child : *children) carried[child.get<std::size_t>()] = true;
  Json roots = Json::array();
  for (std::size_t n = 0; n < carried.size(); ++n)
    if (!carried[n]) roots.push_back(n);
  return roots;
}

}  // namespace

// VRM 1.0 and VRM animations name bones as keys; VRM 0.x lists them
GltfHumanoid humanoid_of(const GltfFile& file) {
  const Json* extensions = gltf_member(&file.root(), "extensions");
  GltfHumanoid found;
  const auto add = [&](const std::string& bone, const Json& place) {
    const auto node = gltf_index(&place, "node");
    if (!node || *node >= file.count("nodes")) file.fail("humanoid", "'" + bone + "' names no node");
    found.bones.emplace_back(bone, *node);
  };
  for (const char* key : {"VRMC_vrm", kExtension, "VRM"}) {
    const Json* bones = gltf_member(gltf_member(gltf_member(extensions, key), "humanoid"), "humanBones");
    if (bones == nullptr || !found.bones.empty()) continue;
    found.extension = key;
    if (bones->is_object()) {
      for (const auto& [bone, place] : bones->items()) add(bone, place);
    } else if (bones->is_array()) {
      for (const Json& place : *bones) add(gltf_text(&place, "bone"), place);
    }
  }
  return found;
}

bool vrm_animates(const std::string& bone) { return bone != "leftEye" && bone != "rightEye"; }

Json vrm_animation_of(const GltfFile& file, const GltfHumanoid& humanoid) {
  const bool old = humanoid.extension == "VRM";
  Json nodes = Json::array(), bones = Json::object();
  for (std::size_t n = 0; n < file.count("nodes"); ++n) {
    Json node = Json::object();
    for (const char* kept : {"name", "children", "matrix", "translation", "rotation", "scale"})
      if (const Json* member = gltf_member(&file.element("nodes", n), kept)) node[kept] = *member;
    nodes.push_back(std::move(node));
  }
  // models of VRM 0.x face -z
  if (old)
    nodes.push_back({{"name", "VRM 0.x"}, {"rotation", {0.0, 1.0, 0.0, 0.0}}, {"children", roots_of(nodes)}});
  for (const auto& [bone, node] : humanoid.bones)
    if (vrm_animates(bone)) bones[old ? renamed(bone) : bone]["node"] = node;
  Json root;
  root["asset"] = {{"version", "2.0"}, {"generator", "Panto"}};
  root["scene"] = 0;
  root["scenes"][0]["nodes"] = roots_of(nodes);
  root["nodes"] = std::move(nodes);
  root["extensionsUsed"][0] = kExtension;
  root["extensions"][kExtension] = {{"specVersion", "1.0"}, {"humanoid", {{"humanBones", std::move(bones)}}}};
  return root;
}

}  // namespace panto::io
