#pragma once
// Moves parts of a robot's body out of each other over a clip, with the shapes and limbs of the robot itself.

#include <string>
#include <vector>

#include "panto/retarget/clear_motion.hpp"

namespace panto {

/// As `clear_motion`, of the robot's own shapes: its arms and legs give way, but no leg whose foot is
/// `still`; feet do not sink under the floor z = 0 where any are. Returns notes: what was moved and what
/// remains, or that the model has no shapes.
[[nodiscard]] std::vector<std::string> clear_robot(const Model& model, const robot::Skeleton& skeleton,
                                                   const std::vector<LinkContacts>& still,
                                                   ClearMotionOptions options, const std::vector<int>& cuts,
                                                   Motion& motion);

}  // namespace panto
