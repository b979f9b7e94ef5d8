#pragma once
// Part of a person: a body without legs, without arms, or with one of a pair. Joints of average proportions
// are added for what is missing, so that the rest of the reading works as for a whole body.

#include <optional>
#include <string>

#include "panto/rig/axes.hpp"
#include "panto/rig/names.hpp"
#include "panto/rig/rig.hpp"
#include "panto/rig/shape.hpp"

namespace panto::rig {

/// A clip with the joints that it lacks.
struct CompletedBody {
  SkeletonClip clip;      ///< the clip's own joints, then the added ones, without names
  NameReading names;      ///< of its joints
  Body body;              ///< side 0 is left
  std::string missing;    ///< "legs", "right arm"
  bool legless = false;   ///< the arms alone tell the height, to a fifth
  bool has_trunk = true;  ///< false: nothing above the pelvis is the clip's own
};

/// Completes the body of a clip whose names tell its limbs. Returns nothing where no limb is missing, or
/// where the names do not tell at least two whole limbs, or one and the trunk.
[[nodiscard]] std::optional<CompletedBody> complete_body(const SkeletonClip& clip);

/// Finds the unit as `read_unit`, of a body height that is known to a fifth.
[[nodiscard]] UnitReading read_unit_by_arms(double stature, bool cmu_names);

/// Returns the map of a completed clip for the clip itself, whose first `joint_count` joints are its own.
[[nodiscard]] Map without_added(Map map, const CompletedBody& completed, std::size_t joint_count);

}  // namespace panto::rig
