#pragma once
// Keeps feet that stand apart where a robot's soles would be in each other: they are wider for its hips than
// a person's are (docs/algorithms/planned_feet.md).

#include <vector>

#include "panto/base/time.hpp"
#include "panto/motion/foot_plant.hpp"

namespace panto {

/// Moves the ways of a right and a left foot (`p_WF`) apart sideways where both are in contact, each by half
/// of what their soles overlap by and a little more; smoothly, so before and after that too. Feet that cross
/// stay crossed. Frames far from an overlap keep their bits. `cuts`: frames that do not continue the one
/// before.
void part_feet(const std::vector<Time>& t, const std::vector<int>& cuts, FootMotion& right, FootMotion& left);

}  // namespace panto
