// A glTF character and its own file with a motion: what is accepted can be written, and read back.

#include "panto/io/bvh_character.hpp"
#include "panto/io/gltf.hpp"
#include "panto/model/state.hpp"
#include "tests/fuzz/seeds.hpp"
#include "tests/support/person_gltf.hpp"

namespace panto::fuzz {
namespace {

constexpr int kFrames = 3;

void check_character(Bytes bytes) {
  const std::string_view file = text_of(bytes);
  const std::string name = file.starts_with("glTF") ? "damaged.glb" : "damaged.gltf";
  io::GltfSkeleton skeleton = io::read_gltf_skeleton(file, name);
  io::OpenedCharacter opened = io::open_bvh_character(std::move(skeleton.clip));
  opened.character.gltf = std::make_shared<const io::GltfCharacter>(
      io::GltfCharacter{std::string(file), name, "", std::move(skeleton.nodes)});
  const auto character = std::make_shared<const io::BvhCharacter>(opened.character);
  std::string written;
  const auto out =
      io::create_state_file({name, written}, opened.model, {.rate_hz = 30.0, .character = character});
  State state = rest_state(opened.model);
  for (int k = 0; k < kFrames; ++k) {
    promise(out->write(state) == WriteStatus::Written, "States of the character are written");
    state.t += Time{33'333'333} + (k == 0 ? 1 : 0);
    state.p_WB.x() += 0.01;
  }
  out->close();
  try {
    const io::BvhClip read = io::read_gltf(written, "written" + name);
    promise(read.joints.size() == character->clip.joints.size(), "joints stay");
    promise(read.frame_count == kFrames, "a key a frame");
  } catch (const Error&) {
    promise(false, "what is written can be read");
  }
}

// the walker of the examples in its T-pose
Seeds seeds_of_persons() { return {test::person_gltf(io::read_bvh(example("walk.bvh", 165), "walk.bvh"))}; }

const Registered gltf_character_target("gltf_character", check_character, seeds_of_persons, 0.3);

}  // namespace
}  // namespace panto::fuzz
