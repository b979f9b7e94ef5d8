// BVH: what is understood holds together, and can be written and read back.

#include "panto/io/bvh.hpp"

#include "tests/fuzz/recordings.hpp"
#include "tests/fuzz/seeds.hpp"

namespace panto::fuzz {
namespace {

void check_bvh(Bytes bytes) {
  const io::BvhClip clip = io::read_bvh(text_of(bytes), "damaged.bvh");
  promise(clip.values.size() ==
              static_cast<std::size_t>(clip.frame_count) * static_cast<std::size_t>(clip.channel_count),
          "a number a channel and frame");
  promise(clip.values.capacity() <= bytes.size() + 16, "memory follows the bytes, not a count");
  promise(std::isfinite(clip.rate_hz) && clip.rate_hz > 0.0, "the rate is a number");
  for (const double value : clip.values) promise(std::isfinite(value), "numbers are finite");
  for (std::size_t i = 0; i < clip.joints.size(); ++i)
    promise(clip.joints[i].parent < static_cast<int>(i), "parents come first");
  SkeletonPose pose;
  if (clip.frame_count > 0) io::bvh_pose(clip, clip.frame_count - 1, pose);
  const io::BvhClip again = io::read_bvh(io::write_bvh(clip), "written.bvh");
  promise(again.joints == clip.joints && again.values == clip.values && again.frame_time == clip.frame_time,
          "what was written reads back");
  check_recording(*io::open_bvh(clip));
}

Seeds seeds_of_bvh() {
  const Model human = human66(scaled_subject(1.75));
  return {example("walk.bvh", 165), example("wave.bvh", 165),
          io::motion_bytes(few_states(human, 4), human, "person.bvh")};
}

const Registered bvh_target("bvh", check_bvh, seeds_of_bvh);

}  // namespace
}  // namespace panto::fuzz
