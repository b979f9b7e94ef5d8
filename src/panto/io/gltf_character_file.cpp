// Writes a character's motion into a copy of its glTF file: one more animation, with a key for every frame.

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "panto/base/append_word.hpp"
#include "panto/base/error.hpp"
#include "panto/base/index.hpp"
#include "panto/io/base64.hpp"
#include "panto/io/character_file.hpp"
#include "panto/io/character_poses.hpp"
#include "panto/io/gltf_file.hpp"
#include "panto/io/gltf_humanoid.hpp"
#include "panto/io/gltf_nodes.hpp"
#include "panto/io/part_file.hpp"
#include "panto/io/text_scanner.hpp"
#include "panto/math/so3.hpp"

namespace panto::io {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;
using Json = nlohmann::json;

constexpr double kSame = 1e-7;  // [rad], and of a node's unit: no key is needed for less
constexpr std::size_t kFloat = 5126;
constexpr const char* kName = "Panto";  // of the animation

void pad(std::string& bytes, char with) { bytes.resize((bytes.size() + 3) / 4 * 4, with); }

// (x, y, z, w)
std::array<double, 4> turn_of(const Matrix3d& R) {
  const Eigen::Vector4d q = so3::to_quaternion_wxyz(R);
  return {q[1], q[2], q[3], q[0]};
}

bool is_container(const GltfCharacter& own) { return own.bytes.starts_with("glTF"); }

// a skeleton with its motion alone, as a VRM animation
bool is_animation(const Destination& to) { return extension_of(to.path) == ".vrma"; }

bool names_files(const Json& root) {
  for (const char* list : {"buffers", "images"}) {
    const Json* elements = gltf_member(&root, list);
    if (elements == nullptr || !elements->is_array()) continue;
    for (const Json& element : *elements) {
      const std::string uri = gltf_text(&element, "uri");
      if (!uri.empty() && !uri.starts_with("data:")) return true;
    }
  }
  return false;
}

bool is_beside(const std::string& path, const std::string& folder) {
  namespace fs = std::filesystem;
  const fs::path parent = fs::path(path).parent_path();
  std::error_code failed;
  return fs::equivalent(parent.empty() ? "." : parent, folder, failed);
}

// Lists that the motion is added to hold objects.
void check_lists(const GltfFile& file) {
  for (const char* list : {"nodes", "accessors", "bufferViews", "buffers", "animations"}) {
    const Json* elements = gltf_member(&file.root(), list);
    if (elements == nullptr) continue;
    const auto is_object = [](const Json& element) { return element.is_object(); };
    if (!elements->is_array() || !std::all_of(elements->begin(), elements->end(), is_object))
      file.fail(list, "must be a list of objects");
  }
}

// What a file may be called: the container stays as it is, and what is no VRM does not become one.
void check_name(const Destination& to, const GltfCharacter& own, const Json& root) {
  const std::string extension = extension_of(to.path), given = extension_of(own.name);
  const bool container = is_container(own);
  if (extension != given && !(container && extension == ".glb"))
    throw ConfigError("output '" + to.path + "': the motion of '" + own.name +
                      "' is written into a copy of it: name it " +
                      (container && given != ".glb" && !given.empty() ? given + " or .glb"
                       : container                                    ? ".glb"
                                                                      : given) +
                      ", or .bvh for the joints alone");
  if (to.bytes == nullptr && names_files(root) && !is_beside(to.path, own.folder))
    throw ConfigError(
        "output '" + to.path + "': '" + own.name +
        "' names files beside it, which a copy elsewhere would lack: write into its folder, or export "
        "the character as one .glb");
}

// The keys of one node.
struct Keys {
  std::vector<float> turns, places;  // four and three numbers a key
  bool turned = false, moved = false;
};

class GltfCharacterFile final : public StateFile {
 public:
  GltfCharacterFile(const Destination& to, const Model& model, std::shared_ptr<const BvhCharacter> character,
                    const StateFileOptions& options, Json root, std::string binary)
      : character_(std::move(character)),
        own_(*character_->gltf),
        nodes_(own_.nodes),
        root_(std::move(root)),
        binary_(std::move(binary)),
        poses_(model, character_, options, to.path),
        file_(to),
        animation_(is_animation(to)),
        container_(animation_ || is_container(own_)),
        joint_of_(nodes_.rest.size(), -1),
        world_(nodes_.rest.size()),
        keys_(nodes_.joints.size()) {
    for (std::size_t j = 0; j < nodes_.joints.size(); ++j) joint_of_[nodes_.joints[j]] = static_cast<int>(j);
    for (const std::size_t n : nodes_.order) world_[n] = before(n, world_) * nodes_.rest[n];
    rest_world_ = world_;
    file_.end_header();
  }

  WriteStatus write(const State& state) noexcept override { return poses_.add(state); }

  void close() override {
    poses_.for_each_frame([this](const CharacterPose& pose) { add_keys(pose); });
    add_animation();
    (void)file_.write(container_ ? container() : root_.dump());
    file_.close();
  }

 private:
  [[nodiscard]] GltfPose before(std::size_t n, const std::vector<GltfPose>& world) const {
    return nodes_.parent[n] < 0 ? GltfPose{} : world[at(nodes_.parent[n])];
  }

  // ---- keys

  // Poses all nodes. Frames of the clip's joints are parallel to the file's at rest, those of nodes are not.
  void pose_nodes(const CharacterPose& pose) {
    const std::size_t count = nodes_.joints.size();
    const auto place = poses_.place_of(pose);
    std::vector<GltfPose> joints(count);
    for (std::size_t j = 0; j < count; ++j) {
      const bool moves = place && at(place->joint) == j;
      const GltfPose local{pose.R[j], moves ? place->p : poses_.rest_place(j)};
      const int parent = character_->clip.joints[j].parent;
      joints[j] = parent < 0 ? local : joints[at(parent)] * local;
    }
    for (const std::size_t n : nodes_.order) {
      world_[n] = before(n, world_) * nodes_.rest[n];
      if (joint_of_[n] < 0) continue;
      const GltfPose& joint = joints[at(joint_of_[n])];
      world_[n].R = joint.R * rest_world_[n].R;
      world_[n].p = joint.p;
    }
  }

  // Joints that stay on their parents need one key, where they are not as their nodes.
  [[nodiscard]] bool is_still(std::size_t joint) const {
    return character_->character.link[joint] < 0 && at(character_->character.base) != joint;
  }

  void add_keys(const CharacterPose& pose) {
    pose_nodes(pose);
    ++frames_;
    for (std::size_t j = 0; j < keys_.size(); ++j) {
      if (frames_ > 1 && is_still(j)) continue;
      const std::size_t n = nodes_.joints[j];
      const GltfPose parent = before(n, world_);
      const Matrix3d R = parent.R.transpose() * world_[n].R;
      const Vector3d p = parent.R.transpose() * (world_[n].p - parent.p) / parent.scale.mean();
      Keys& keys = keys_[j];
      keys.turned = keys.turned || !(R - nodes_.rest[n].R).isZero(kSame);
      keys.moved = keys.moved || !(p - nodes_.rest[n].p).isZero(kSame * std::max(1.0, p.norm()));
      std::array<double, 4> q = turn_of(R);
      // neighbours on one half of the sphere: what blends their numbers turns the short way
      double along = 0.0;
      for (std::size_t i = 0; i < 4 && frames_ > 1; ++i)
        along += q[i] * static_cast<double>(keys.turns[keys.turns.size() - 4 + i]);
      for (double& number : q) number = along < 0.0 ? -number : number;
      keys.turns.insert(keys.turns.end(), q.begin(), q.end());
      keys.places.insert(keys.places.end(), p.data(), p.data() + 3);
    }
  }

  // ---- the file

  void add_animation() {
    if (frames_ == 0) return;
    buffer_ = prepare_buffer();
    const std::size_t frames = add_times(frames_);
    std::optional<std::size_t> once;
    Json samplers = Json::array(), channels = Json::array();
    const auto channel = [&](std::size_t joint, const char* path, const std::vector<float>& values,
                             std::size_t width) {
      channels.push_back(
          {{"sampler", samplers.size()}, {"target", {{"node", nodes_.joints[joint]}, {"path", path}}}});
      if (is_still(joint) && !once) once = add_times(1);
      samplers.push_back({{"input", is_still(joint) ? *once : frames},
                          {"output", accessor(values, width)},
                          {"interpolation", "LINEAR"}});
    };
    for (std::size_t j = 0; j < keys_.size(); ++j) {
      const bool base = at(character_->character.base) == j;
      // in a VRM animation, nothing but the hips moves
      if (animation_ && !vrm_animates(character_->clip.joints[j].name)) continue;
      if (keys_[j].turned || base) channel(j, "rotation", keys_[j].turns, 4);
      if ((keys_[j].moved && !animation_) || base) channel(j, "translation", keys_[j].places, 3);
    }
    for (std::size_t n = 0; n < nodes_.rest.size(); ++n) state_transform(n);
    Json& animations = root_["animations"];
    if (!animations.is_array()) animations = Json::array();
    for (std::size_t i = animations.size(); i-- > 0;)  // of an earlier run
      if (gltf_text(&animations[i], "name") == kName) animations.erase(i);
    animations.insert(animations.begin(),
                      Json{{"name", kName}, {"samplers", samplers}, {"channels", channels}});
    finish_buffer();
  }

  std::size_t add_times(std::size_t count) {
    std::vector<float> times;
    for (std::size_t k = 0; k < count; ++k)
      times.push_back(static_cast<float>(static_cast<double>(k) / poses_.rate_hz()));
    const std::size_t input = accessor(times, 1);
    root_["accessors"][input]["min"] = Json::array({times.front()});
    root_["accessors"][input]["max"] = Json::array({times.back()});
    return input;
  }

  // glTF forbids animating a node with a matrix. A scale that only the old animation's keys gave must now
  // stand in the node.
  void state_transform(std::size_t n) {
    Json& node = root_["nodes"][n];
    const GltfPose& rest = nodes_.rest[n];
    const bool matrix = node.contains("matrix");
    if (rest.scale.isZero(0.0) || (matrix && joint_of_[n] < 0)) return;
    if (matrix) {
      node.erase("matrix");
      node["translation"] = {rest.p.x(), rest.p.y(), rest.p.z()};
      node["rotation"] = turn_of(rest.R);
    }
    if (matrix || node.contains("scale") || !rest.scale.isOnes(0.0))
      node["scale"] = {rest.scale.x(), rest.scale.y(), rest.scale.z()};
  }

  // Keys go to the end of the container's own bytes; where it has none, or the file is text, into a buffer of
  // their own.
  std::size_t prepare_buffer() {
    Json& buffers = root_["buffers"];
    if (!buffers.is_array()) buffers = Json::array();
    inside_ =
        container_ && (buffers.empty() || (!binary_.empty() && gltf_text(&buffers.front(), "uri").empty()));
    if (!inside_) binary_.clear();
    if (!inside_ || buffers.empty()) buffers.push_back(Json::object());
    pad(binary_, '\0');
    return inside_ ? 0 : buffers.size() - 1;
  }

  std::size_t accessor(const std::vector<float>& values, std::size_t width) {
    constexpr std::array<const char*, 5> types{"", "SCALAR", "", "VEC3", "VEC4"};
    for (const char* list : {"accessors", "bufferViews"})
      if (!root_[list].is_array()) root_[list] = Json::array();
    root_["bufferViews"].push_back(
        {{"buffer", buffer_}, {"byteOffset", binary_.size()}, {"byteLength", 4 * values.size()}});
    for (const float value : values) append_word(std::bit_cast<std::uint32_t>(value), binary_);
    root_["accessors"].push_back({{"bufferView", root_["bufferViews"].size() - 1},
                                  {"componentType", kFloat},
                                  {"count", values.size() / width},
                                  {"type", types[width]}});
    return root_["accessors"].size() - 1;
  }

  void finish_buffer() {
    Json& buffer = root_["buffers"][buffer_];
    buffer["byteLength"] = binary_.size();
    if (!inside_)
      buffer["uri"] = "data:application/octet-stream;base64," + to_base64(std::exchange(binary_, {}));
  }

  [[nodiscard]] std::string container() const {
    std::string json = root_.dump();
    pad(json, ' ');
    std::string binary = binary_;
    pad(binary, '\0');
    const std::size_t size = 20 + json.size() + (binary.empty() ? 0 : 8 + binary.size());
    if (size > std::numeric_limits<std::uint32_t>::max())
      throw Error(file_.path() + ": a .glb holds 4 GiB at most; write the motion in parts");
    std::string bytes = "glTF";
    const auto word = [&bytes](std::size_t value) { append_word(static_cast<std::uint32_t>(value), bytes); };
    word(2), word(size), word(json.size()), bytes += "JSON" + json;
    if (binary.empty()) return bytes;
    word(binary.size()), bytes += std::string("BIN\0", 4) + binary;
    return bytes;
  }

  std::shared_ptr<const BvhCharacter> character_;
  const GltfCharacter& own_;
  const GltfNodes& nodes_;
  Json root_;
  std::string binary_;  // of the container, and then the keys
  CharacterPoses poses_;
  PartFile file_;
  bool animation_, container_;
  std::vector<int> joint_of_;  // by node; -1: none
  std::vector<GltfPose> world_, rest_world_;
  std::vector<Keys> keys_;  // by joint
  std::size_t frames_ = 0, buffer_ = 0;
  bool inside_ = false;  // keys lie in the container
};

}  // namespace

std::unique_ptr<StateFile> create_gltf_character(const Destination& to, const Model& model,
                                                 std::shared_ptr<const BvhCharacter> character,
                                                 const StateFileOptions& options) {
  const GltfCharacter& own = *character->gltf;
  const GltfFile source(own.bytes, own.name, own.folder);
  check_lists(source);
  if (!is_animation(to)) {
    check_name(to, own, source.root());
    return std::make_unique<GltfCharacterFile>(to, model, std::move(character), options, source.root(),
                                               std::string(source.binary()));
  }
  const GltfHumanoid humanoid = humanoid_of(source);
  if (humanoid.bones.empty())
    throw ConfigError("output '" + to.path +
                      "': a VRM animation needs a character whose bones VRM names (.vrm); '" + own.name +
                      "' names none: write .glb or .bvh");
  return std::make_unique<GltfCharacterFile>(to, model, std::move(character), options,
                                             vrm_animation_of(source, humanoid), std::string());
}

}  // namespace panto::io
