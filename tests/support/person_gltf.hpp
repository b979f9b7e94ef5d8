#pragma once
// A BVH skeleton at rest as text of glTF: a node a joint, frames parallel to the file's.

#include <string>

#include "panto/io/bvh.hpp"

namespace panto::test {

/// `unit`: of the clip's offsets [m]. Nodes without animation; all are joints of one skin.
inline std::string person_gltf(const io::BvhClip& clip, double unit = 0.01) {
  std::string nodes, joints;
  for (std::size_t j = 0; j < clip.joints.size(); ++j) {
    const io::BvhJoint& joint = clip.joints[j];
    std::string children;
    for (std::size_t c = j + 1; c < clip.joints.size(); ++c)
      if (clip.joints[c].parent == static_cast<int>(j))
        children += (children.empty() ? "" : ",") + std::to_string(c);
    nodes += (j == 0 ? "" : ",") + ("{\"name\":\"" + joint.name + "\",\"translation\":[");
    for (int i = 0; i < 3; ++i) nodes += (i == 0 ? "" : ",") + std::to_string(unit * joint.offset[i]);
    nodes += children.empty() ? "]}" : "],\"children\":[" + children + "]}";
    joints += (j == 0 ? "" : ",") + std::to_string(j);
  }
  return "{\"asset\":{\"version\":\"2.0\"},\"nodes\":[" + nodes + "],\"skins\":[{\"joints\":[" + joints +
         "]}]}";
}

}  // namespace panto::test
