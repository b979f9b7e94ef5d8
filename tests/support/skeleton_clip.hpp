#pragma once
// A BVH clip as the skeleton clip that rigs are understood from.

#include <algorithm>
#include <string>

#include "panto/base/index.hpp"
#include "panto/io/bvh.hpp"
#include "panto/sample/skeleton.hpp"

namespace panto::test {

/// Joints, rest pose and at most `most` poses, evenly over the clip. The first frame is left out where an
/// exporter put its rest pose there: no joint turns in it but those of the root.
inline SkeletonClip skeleton_clip(const io::BvhClip& bvh, int most = 300) {
  SkeletonClip clip;
  clip.name = bvh.name;
  for (const io::BvhJoint& joint : bvh.joints)
    clip.joints.push_back({joint.name, joint.parent, joint.end_sites});
  io::bvh_rest_pose(bvh, clip.rest);
  const std::int64_t first = bvh.frame_count > 1 ? 1 : 0;
  const std::int64_t available = bvh.frame_count - first;
  const std::int64_t count = std::min<std::int64_t>(most, available);
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t frame = first + (count > 1 ? i * (available - 1) / (count - 1) : 0);
    clip.frames.emplace_back();
    io::bvh_pose(bvh, frame, clip.frames.back());
    clip.times.push_back(static_cast<double>(frame) / bvh.rate_hz);
  }
  return clip;
}

inline SkeletonClip skeleton_clip(const std::string& path) { return skeleton_clip(io::read_bvh_file(path)); }

}  // namespace panto::test
