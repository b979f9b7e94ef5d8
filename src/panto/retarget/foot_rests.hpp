#pragma once
// Feet of a body that kneels, sits or lies: they carry nothing, but stay where they are.

#include <vector>

#include "panto/motion/foot_plant.hpp"

namespace panto {

/// Keeps the targets of a foot in one place while the person's foot lies still: what rests of it, heel
/// (the link's origin) or `ball`, stays horizontally at the middle of its way, or where the foot stands
/// before or after; between two stances it goes from one to the other as far as its own way does. With both
/// at rest the foot hardly turns either. It stays within 6 cm and 0.1 rad of its own way.
/// Targets in stance do not change, rates (`v_WF`, `w_WF`) are left.
/// `own`: the foot's own way [m]. `stands`, `rests`: contacts by frame, disjoint. `ball`: in the foot's frame
/// [m]. `time` [s]: as of `smooth_path`. `cuts`: frames that do not continue the one before.
void keep_still(const std::vector<Time>& t, const std::vector<Eigen::Vector3d>& own,
                const FootContacts& stands, const FootContacts& rests, const Eigen::Vector3d& ball,
                double time, const std::vector<int>& cuts, FootTargets& targets);

}  // namespace panto
