#pragma once
// Refuses what a user's map says where no body can have it: joints of limbs that do not hang on each other,
// and the map of another person.

#include <optional>
#include <string>

#include "panto/base/error.hpp"
#include "panto/rig/rig.hpp"
#include "panto/sample/skeleton.hpp"

namespace panto::rig {

/// Returns the first joint of that name. @throws ConfigError, with the nearest name, if there is none.
[[nodiscard]] int joint_named(const SkeletonClip& clip, const std::string& name);

/// Refuses a map in which the joint of a limb's segment does not hang on that of the segment before it,
/// where `hints` name one of the two; thighs, upper arms and head hang on the pelvis, or beside it on what
/// carries both. @throws ConfigError with both segments and joints.
void check_limbs(const SkeletonClip& clip, const Map& map, const Hints& hints);

/// Returns the choice of a person with a complete map, if the file holds several people. @throws ConfigError
/// if there is no such person, or if the map's pelvis is another's.
[[nodiscard]] std::optional<Decision> check_person(const SkeletonClip& clip, const Hints& hints);

/// Returns the refusal of a name in a file that holds one person.
[[nodiscard]] ConfigError no_such_person(const SkeletonClip& clip, const std::string& name);

}  // namespace panto::rig
