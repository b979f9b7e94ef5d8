// Maps of a skeleton's joints, and a recording that is opened with them.

#include "panto/io/bvh.hpp"
#include "panto/io/rig_file.hpp"
#include "tests/fuzz/recordings.hpp"
#include "tests/fuzz/seeds.hpp"

namespace panto::fuzz {
namespace {

void check_rig_map(Bytes bytes) {
  static const io::BvhClip clip = io::read_bvh(example("walk.bvh", 165), "walk.bvh");
  std::vector<std::string> notes;
  const RecordingHints hints = io::read_rig_map(text_of(bytes), "damaged.toml", notes);
  check_recording(*io::open_bvh(clip, hints));
}

Seeds seeds_of_rig_maps() {
  const std::unique_ptr<Recording> walk = io::open_bvh(io::read_bvh(example("walk.bvh", 165), "walk.bvh"));
  return {io::write_rig_map(walk->info().rig.value(), walk->info().rig_joints, "walk.bvh")};
}

const Registered rig_map_target("rig_map", check_rig_map, seeds_of_rig_maps);

}  // namespace
}  // namespace panto::fuzz
