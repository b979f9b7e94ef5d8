// Finds the joints of a glTF file, chooses its animation and samples it. (docs/formats/gltf.md)

#include "panto/io/gltf.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <utility>

#include "panto/base/error.hpp"
#include "panto/base/index.hpp"
#include "panto/base/text.hpp"
#include "panto/io/gltf_animation.hpp"
#include "panto/io/gltf_file.hpp"
#include "panto/io/gltf_humanoid.hpp"
#include "panto/io/input.hpp"
#include "panto/io/text_lines.hpp"
#include "panto/math/degrees.hpp"
#include "panto/math/euler.hpp"
#include "panto/math/so3.hpp"

namespace panto::io {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;
using Json = nlohmann::json;

constexpr std::size_t kMostNodes = 10'000;
constexpr double kUniform = 1e-3;  // by which the scales of three axes may differ

std::string node_place(std::size_t node) { return "nodes[" + std::to_string(node) + "]"; }

// the three scales as one; nothing when they differ
std::optional<double> one_scale(const Vector3d& scale) {
  const double mean = scale.mean();
  if (!(mean > 1e-9 && mean < 1e9 && (scale.array() - mean).abs().maxCoeff() <= kUniform * mean)) return {};
  return mean;
}

class Reader {
 public:
  Reader(std::string_view bytes, const std::string& name, const std::string& folder)
      : file_(bytes, name, folder) {
    clip_.name = name;
    clip_.format = "gltf";
    clip_.rate_hz = 1.0;
    clip_.frame_time = 1.0;
  }

  BvhClip read(bool animated, const std::string& take) {
    read_nodes();
    order_nodes();
    name_humanoid();
    std::optional<GltfAnimation> animation;
    if (animated) animation = choose_animation(file_, kept_, take, clip_.notes);
    keep_joints(animation);
    if (animation) fix_scales(*animation);
    find_rest();
    if (animation) sample(*animation);
    return std::move(clip_);
  }

  [[nodiscard]] GltfNodes nodes() && {
    return {std::move(nodes_), std::move(parent_), std::move(order_), std::move(joints_)};
  }

 private:
  // ---- nodes

  Vector3d vector(const Json& values, std::size_t node) const {
    Vector3d v;
    for (int i = 0; i < 3; ++i) v[i] = number(values, at(i), node);
    return v;
  }

  double number(const Json& values, std::size_t i, std::size_t node) const {
    if (!values.is_array() || i >= values.size() || !values[i].is_number())
      file_.fail(node_place(node), "its transform must be a list of numbers");
    const double value = values[i].get<double>();
    if (!(std::abs(value) < 1e9)) file_.fail(node_place(node), "its transform is not finite");
    return value;
  }

  void read_nodes() {
    const std::size_t count = file_.count("nodes");
    if (count > kMostNodes) file_.fail("nodes", "more than " + std::to_string(kMostNodes));
    nodes_.resize(count);
    names_.resize(count);
    parent_.assign(count, -1);
    kept_.assign(count, 0);
    hanging_.assign(count, 0);
    for (std::size_t n = 0; n < count; ++n) {
      const Json& json = file_.element("nodes", n);
      names_[n] = gltf_text(&json, "name");
      if (names_[n].empty()) names_[n] = "node" + std::to_string(n);
      read_transform(json, n);
      const Json* children = gltf_member(&json, "children");
      if (children == nullptr || !children->is_array()) continue;
      for (const Json& child : *children) {
        if (!child.is_number_unsigned() || child.get<std::size_t>() >= count)
          file_.fail(node_place(n), "names a child that does not exist");
        int& parent = parent_[child.get<std::size_t>()];
        if (parent >= 0) file_.fail(node_place(child.get<std::size_t>()), "has two parents");
        parent = static_cast<int>(n);
      }
    }
  }

  void read_transform(const Json& json, std::size_t n) {
    GltfPose& node = nodes_[n];
    if (const Json* matrix = gltf_member(&json, "matrix")) {
      Matrix3d M;
      for (int i = 0; i < 9; ++i) M(i % 3, i / 3) = number(*matrix, at(4 * (i / 3) + i % 3), n);
      for (int i = 0; i < 3; ++i) node.p[i] = number(*matrix, at(12 + i), n);
      node.scale = M.colwise().norm();
      if (const auto scale = one_scale(node.scale); scale && so3::is_rotation(M / *scale)) {
        node.R = so3::project(M / *scale);
      } else {
        node.scale = Vector3d::Zero();  // refused if a joint needs it
      }
      return;
    }
    if (const Json* p = gltf_member(&json, "translation")) node.p = vector(*p, n);
    if (const Json* s = gltf_member(&json, "scale")) node.scale = vector(*s, n);
    if (const Json* r = gltf_member(&json, "rotation")) {
      const Vector3d v = vector(*r, n);
      const Eigen::Vector4d q(number(*r, 3, n), v.x(), v.y(), v.z());
      if (!(std::abs(q.norm() - 1.0) < 0.05)) file_.fail(node_place(n), "its rotation is no unit quaternion");
      node.R = so3::from_quaternion_wxyz(q);
    }
  }

  // parents before their children, depth first
  void order_nodes() {
    std::vector<std::vector<std::size_t>> children(nodes_.size());
    std::vector<std::size_t> open;
    for (std::size_t n = nodes_.size(); n-- > 0;) {
      if (parent_[n] < 0) {
        open.push_back(n);
      } else {
        children[at(parent_[n])].push_back(n);
      }
    }
    while (!open.empty()) {
      const std::size_t n = open.back();
      open.pop_back();
      order_.push_back(n);
      open.insert(open.end(), children[n].begin(), children[n].end());
    }
    if (order_.size() < nodes_.size()) file_.fail("nodes", "some are their own ancestors");
  }

  // ---- joints

  void name_humanoid() {
    const GltfHumanoid humanoid = humanoid_of(file_);
    for (const auto& [bone, node] : humanoid.bones) {
      names_[node] = bone;
      kept_[node] = 1;
    }
    humanoid_ = !humanoid.bones.empty();
    if (!humanoid.extension.empty())
      clip_.format = humanoid.extension == "VRMC_vrm_animation" ? "vrma" : "vrm";
    if (!humanoid_) keep_skins();
  }

  // joints of skins and what hangs on them; without a skin, whatever is no mesh, camera or light
  void keep_skins() {
    for (std::size_t s = 0; s < file_.count("skins"); ++s) {
      const Json* joints = gltf_member(&file_.element("skins", s), "joints");
      if (joints == nullptr || !joints->is_array()) continue;
      for (const Json& joint : *joints) {
        if (!joint.is_number_unsigned() || joint.get<std::size_t>() >= nodes_.size())
          file_.fail("skins[" + std::to_string(s) + "]", "names a joint that does not exist");
        kept_[joint.get<std::size_t>()] = 1;
      }
    }
    const bool skin = std::find(kept_.begin(), kept_.end(), 1) != kept_.end();
    for (const std::size_t n : order_) {
      const Json& json = file_.element("nodes", n);
      const bool shown = json.contains("mesh") || json.contains("camera");
      if (shown || kept_[n] != 0) continue;
      if (!skin || (parent_[n] >= 0 && kept_[at(parent_[n])] != 0)) hanging_[n] = kept_[n] = 1;
    }
    if (skin) leave_props();
  }

  // what hangs on joints and is scaled as no joint may be: swords, hidden things
  void leave_props() {
    for (const std::size_t n : order_) {
      const int parent = parent_[n];
      const bool on_prop = hanging_[n] != 0 && parent >= 0 && kept_[at(parent)] == 0;
      if (hanging_[n] != 0 && (on_prop || !one_scale(nodes_[n].scale))) kept_[n] = hanging_[n] = 0;
    }
  }

  void keep_joints(const std::optional<GltfAnimation>& animation) {
    std::vector<int> index(nodes_.size(), -1);
    leave_tips(animation);
    for (const std::size_t n : order_) {
      // `index` of a node that is left out is its nearest kept ancestor's
      const int parent = parent_[n] < 0 ? -1 : index[at(parent_[n])];
      index[n] = parent;
      if (kept_[n] == 0) continue;
      index[n] = static_cast<int>(joints_.size());
      joints_.push_back(n);
      BvhJoint& joint = clip_.joints.emplace_back();
      joint.name = names_[n];
      joint.parent = parent;
      using enum BvhChannel;
      joint.channels = {Xposition, Yposition, Zposition, Zrotation, Xrotation, Yrotation};
      joint.first_channel = clip_.channel_count;
      clip_.channel_count += 6;
    }
    if (joints_.empty()) file_.fail("nodes", "no joint: meshes alone are no motion");
    for (const std::size_t n : joints_) carries_joint(n);
    for (const std::size_t n : tips_) {
      carries_joint(at(parent_[n]));
      needed_[n] = 1;  // its own scale scales nothing
    }
    if (humanoid_ && animation)
      clip_.notes.push_back(counted(nodes_.size() - joints_.size(), "node") +
                            " that are no bones of the humanoid (hair, clothes, meshes) left out");
  }

  // leaves that no skin and no key names only show where their parents end
  void leave_tips(const std::optional<GltfAnimation>& animation) {
    std::vector<unsigned char> tip = hanging_;
    for (std::size_t n = 0; n < nodes_.size(); ++n) {
      if (parent_[n] < 0) {
        tip[n] = 0;
      } else {
        tip[at(parent_[n])] = 0;
        if (kept_[at(parent_[n])] == 0) tip[n] = 0;
      }
    }
    if (animation) {
      for (const GltfTrack& track : animation->tracks) tip[track.node] = 0;
    }
    for (const std::size_t n : order_) {
      if (tip[n] == 0) continue;
      kept_[n] = 0;
      tips_.push_back(n);
    }
  }

  void carries_joint(std::size_t n) {
    needed_.resize(nodes_.size(), 0);
    for (int up = static_cast<int>(n); up >= 0 && needed_[at(up)] == 0; up = parent_[at(up)]) {
      needed_[at(up)] = 1;
      if (!one_scale(nodes_[at(up)].scale))
        file_.fail(node_place(at(up)), "'" + names_[at(up)] +
                                           "' scales its axes differently or mirrors them; apply the scale "
                                           "(Blender: Object, Apply, All Transforms) and export again");
    }
  }

  // scale keys that never change are that scale; others would change the lengths of bones
  void fix_scales(const GltfAnimation& animation) {
    for (const GltfTrack& track : animation.tracks) {
      if (track.path != GltfPath::Scale || needed_[track.node] == 0) continue;
      const Vector3d first = track.vector(0);
      for (std::size_t k = 0; k < track.times->size(); ++k) {
        if ((track.vector(k) - first).cwiseAbs().maxCoeff() > kUniform * first.cwiseAbs().maxCoeff() ||
            !one_scale(track.vector(k)))
          file_.fail("animations[" + std::to_string(animation.index) + "]",
                     "the scale of '" + names_[track.node] + "' changes: bones must keep their lengths");
      }
      nodes_[track.node].scale = first;
    }
  }

  // ---- poses

  // world poses of all nodes: R, p and the product of scales
  void compose(const std::vector<GltfPose>& local, std::vector<GltfPose>& world) const {
    world.resize(local.size());
    for (const std::size_t n : order_) {
      if (needed_[n] == 0) continue;
      world[n] = parent_[n] < 0 ? local[n] : world[at(parent_[n])] * local[n];
    }
  }

  // Frames are turned so that all are parallel to the file's axes at rest, as in a BVH file.
  void find_rest() {
    compose(nodes_, rest_);
    for (std::size_t j = 0; j < joints_.size(); ++j) {
      const int parent = clip_.joints[j].parent;
      const Vector3d from = parent < 0 ? Vector3d::Zero() : rest_[joints_[at(parent)]].p;
      clip_.joints[j].offset = rest_[joints_[j]].p - from;
      if (!(clip_.joints[j].offset.norm() < 1e9))
        file_.fail(node_place(joints_[j]), "further away than 1e9 m");
    }
    for (const std::size_t n : tips_) {
      const std::size_t parent = at(parent_[n]);
      const auto joint = std::find(joints_.begin(), joints_.end(), parent) - joints_.begin();
      clip_.joints[static_cast<std::size_t>(joint)].end_sites.push_back(rest_[n].p - rest_[parent].p);
    }
  }

  void sample(const GltfAnimation& animation) {
    const GltfClock clock = clock_of(animation, clip_.notes);
    const std::size_t most = 1'000'000 + file_.size() / 4;  // [joints in frames]
    if (!(clock.frames * static_cast<double>(nodes_.size()) <= static_cast<double>(most)))
      file_.fail("animations[" + std::to_string(animation.index) + "]",
                 "its keys are spread over " + decimals(clock.frames / clock.rate_hz, 0) +
                     " s, which is too long for so few; check their times");
    clip_.rate_hz = clock.rate_hz;
    clip_.frame_time = 1.0 / clock.rate_hz;
    clip_.frame_count = static_cast<std::int64_t>(clock.frames);
    clip_.values.reserve(static_cast<std::size_t>(clip_.frame_count) * at(clip_.channel_count));
    std::vector<GltfPose> local = nodes_, world;
    for (std::int64_t k = 0; k < clip_.frame_count; ++k) {
      const double t = clock.start + static_cast<double>(k) / clock.rate_hz;
      for (const GltfTrack& track : animation.tracks) track.apply(t, local[track.node]);
      compose(local, world);
      add_frame(world);
    }
  }

  void add_frame(const std::vector<GltfPose>& world) {
    for (std::size_t j = 0; j < joints_.size(); ++j) {
      const auto turned = [&](std::size_t n) -> Matrix3d { return world[n].R * rest_[n].R.transpose(); };
      Matrix3d R = turned(joints_[j]);
      Vector3d p = world[joints_[j]].p;
      if (const int parent = clip_.joints[j].parent; parent >= 0) {
        const Matrix3d R_parent = turned(joints_[at(parent)]);
        R = R_parent.transpose() * R;
        p = R_parent.transpose() * (p - world[joints_[at(parent)]].p);
      }
      const Vector3d angles = kToDegrees * euler::from_rotation(R, euler::ZXY);
      clip_.values.insert(clip_.values.end(), p.data(), p.data() + 3);
      clip_.values.insert(clip_.values.end(), angles.data(), angles.data() + 3);
    }
  }

  GltfFile file_;
  BvhClip clip_;
  std::vector<GltfPose> nodes_, rest_;
  std::vector<std::string> names_;
  std::vector<int> parent_;
  std::vector<unsigned char> kept_, hanging_, needed_;  // by node: is a joint, of no skin, carries one
  std::vector<std::size_t> order_, joints_, tips_;
  bool humanoid_ = false;
};

}  // namespace

bool is_gltf(std::string_view head) {
  if (head.starts_with("glTF")) return true;
  const auto holds = [&](std::string_view key) { return head.find(key) != std::string_view::npos; };
  if (head.starts_with("\xef\xbb\xbf")) head.remove_prefix(3);
  head.remove_prefix(std::min(head.find_first_not_of(" \t\r\n"), head.size()));
  return head.starts_with('{') && ((holds("\"asset\"") && holds("\"version\"")) || holds("\"bufferViews\"") ||
                                   holds("\"componentType\""));
}

GltfSkeleton read_gltf_skeleton(std::string_view bytes, const std::string& name, const std::string& folder,
                                bool animated, const std::string& take) {
  Reader reader(bytes, name, folder);
  BvhClip clip = reader.read(animated, take);
  return {std::move(clip), std::move(reader).nodes()};
}

BvhClip read_gltf(std::string_view bytes, const std::string& name, const std::string& folder,
                  const std::string& take) {
  return read_gltf_skeleton(bytes, name, folder, true, take).clip;
}

namespace {

std::string folder_of(const Input& input) {
  if (input.in_memory()) return "";
  const std::string folder = std::filesystem::path(input.name()).parent_path().string();
  return folder.empty() ? "." : folder;
}

// A character whose own animation cannot be read stands as its nodes do.
GltfSkeleton read_character(std::string_view bytes, const std::string& name, const std::string& folder) {
  try {
    return read_gltf_skeleton(bytes, name, folder);
  } catch (const FormatError& refusal) {
    GltfSkeleton still = read_gltf_skeleton(bytes, name, folder, false);
    still.clip.notes.push_back(std::string("its own animation is not read: ") + refusal.what());
    return still;
  }
}

}  // namespace

SkeletonFile read_character_file(Input& input) {
  if (!is_gltf(input.head())) return {read_skeleton(input), nullptr};
  const std::string_view bytes = input.whole(BvhOptions{}.max_bytes, Content::Any);
  std::string folder = folder_of(input);
  GltfSkeleton read = read_character(bytes, input.name(), folder);
  return {std::move(read.clip),
          std::make_shared<const GltfCharacter>(
              GltfCharacter{std::string(bytes), input.name(), std::move(folder), std::move(read.nodes)})};
}

BvhClip read_skeleton(Input& input, const std::string& take) {
  const bool gltf = is_gltf(input.head());
  const std::string_view bytes = input.whole(BvhOptions{}.max_bytes, gltf ? Content::Any : Content::Text);
  return gltf ? read_gltf(bytes, input.name(), folder_of(input), take) : read_bvh(bytes, input.name());
}

}  // namespace panto::io
