#pragma once
// Finds which joint of somebody's skeleton is which segment of a human, in which unit and with which axes:
// from names, from the shape of the tree and from geometry and motion. Names propose; bodies decide.

#include "panto/rig/rig.hpp"
#include "panto/sample/skeleton.hpp"

namespace panto::rig {

/// Understands a skeleton. @throws ConfigError for a hint that cannot be met (unknown joint name, with the
/// nearest); FormatError "<clip.name>: ..." when this is no human, or left, right, up or a limb cannot be
/// told with confidence, saying which and what would settle it.
[[nodiscard]] Map map_rig(const SkeletonClip& clip, const Hints& hints = {});

}  // namespace panto::rig
