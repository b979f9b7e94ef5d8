// A BVH skeleton as a character: a model that holds together, or a refusal.

#include "panto/io/bvh_character.hpp"

#include "panto/model/state.hpp"
#include "tests/fuzz/seeds.hpp"

namespace panto::fuzz {
namespace {

void check_character(Bytes bytes) {
  const io::OpenedCharacter opened = io::open_bvh_character(io::read_bvh(text_of(bytes), "damaged.bvh"));
  const State rest = rest_state(opened.model);
  promise(is_valid(rest, opened.model), "the rest pose is a State");
  for (const auto& [joint, position] : opened.rest)
    promise(opened.model.find_joint(joint).has_value() && std::isfinite(position), "rest is of its joints");
}

Seeds seeds_of_characters() { return {example("walk.bvh", 165), example("wave.bvh", 165)}; }

const Registered character_target("bvh_character", check_character, seeds_of_characters);

}  // namespace
}  // namespace panto::fuzz
