#pragma once
// A BVH file as the skeleton clip that rigs are understood from.

#include <string>

#include "panto/io/bvh.hpp"

namespace panto::test {

inline SkeletonClip skeleton_clip(const std::string& path) {
  return io::bvh_skeleton(io::read_bvh_file(path));
}

}  // namespace panto::test
