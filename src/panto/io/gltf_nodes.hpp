#pragma once
// The nodes of a glTF file: their transforms, and which of them are joints (docs/formats/gltf.md). Internal.

#include <Eigen/Core>
#include <cstddef>
#include <string>
#include <vector>

namespace panto::io {

/// A node's transform in its parent, or in the world.
struct GltfPose {
  Eigen::Matrix3d R = Eigen::Matrix3d::Identity();
  Eigen::Vector3d p = Eigen::Vector3d::Zero(), scale = Eigen::Vector3d::Ones();

  /// Returns the transform in the world of a node with transform `local` in this one.
  [[nodiscard]] GltfPose operator*(const GltfPose& local) const {
    return {R * local.R, p + scale.mean() * (R * local.p), scale.mean() * local.scale};
  }
};

struct GltfNodes {
  std::vector<GltfPose> rest;       ///< by node: its transform in its parent
  std::vector<int> parent;          ///< by node; -1: none
  std::vector<std::size_t> order;   ///< of nodes: parents before their children
  std::vector<std::size_t> joints;  ///< by joint of the clip: its node
};

/// A character's file as it was read.
struct GltfCharacter {
  std::string bytes, name, folder;  ///< `folder`: where files lie that it names; empty: none can be read
  GltfNodes nodes;
};

}  // namespace panto::io
