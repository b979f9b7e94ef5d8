#pragma once
// Finds the soles of a robot's feet from their shapes and frames.

#include <Eigen/Core>
#include <string>
#include <vector>

#include "panto/robot/map.hpp"

namespace panto::robot {

/// Turns the axes of the feet so that their soles are level: the zero pose of some robots has bent ankles.
/// From the shapes alone; a sole that is flat, or round, keeps its axes. Adds a note for each turn.
void level_robot_feet(const Model& model, const std::vector<LinkPoints>& shapes, Map& map,
                      std::vector<std::string>& notes);

/// Finds the soles of the feet that the map attaches: from the lowest points of the foot's link and of links
/// fixed to it while the foot is flat; without points, from a fixed frame with "sole" in its name. Adds a
/// note about the source. Unknown soles stay as they are in the map.
void find_robot_soles(const Model& model, const std::vector<LinkPoints>& shapes, Map& map,
                      std::vector<std::string>& notes);

}  // namespace panto::robot
