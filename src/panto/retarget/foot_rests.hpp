#pragma once
// Feet of a body that kneels, sits or lies: they carry nothing, but stay where they are.

#include <vector>

#include "panto/motion/foot_plant.hpp"

namespace panto {

/// Keeps the targets of a foot in one place while the person's foot lies still: what rests of it, heel
/// (the link's origin) or `ball`, stays horizontally at the middle of its way, or where the foot stands
/// before or after; with both at rest the foot hardly turns either. What would take the foot far from its
/// own way is let go. Targets in stance do not change, rates (`v_WF`, `w_WF`) are left.
/// `stands`, `rests`: contacts by frame, disjoint. `ball`: in the foot's frame [m]. `time` [s]: as of
/// `smooth_path`. `cuts`: frames that do not continue the one before.
void keep_still(const std::vector<Time>& t, const FootContacts& stands, const FootContacts& rests,
                const Eigen::Vector3d& ball, double time, const std::vector<int>& cuts, FootTargets& targets);

}  // namespace panto
