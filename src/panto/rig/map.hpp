#pragma once
// Maps the joints of any skeleton to human segments and finds unit and axes: from names, the shape of the
// tree, geometry and motion. Names propose; the body's geometry decides.

#include "panto/rig/rig.hpp"
#include "panto/sample/skeleton.hpp"

namespace panto::rig {

/// Maps the joints of a skeleton clip to human segments. @throws ConfigError for an impossible hint (unknown
/// joint name, with the nearest one; joints of a limb that do not hang on each other; a person whose joints
/// the map does not name); FormatError "<clip.name>: ..." if this is no human, or if left, right,
/// up or a limb is uncertain, with what would settle it.
[[nodiscard]] Map map_rig(const SkeletonClip& clip, const Hints& hints = {});

}  // namespace panto::rig
