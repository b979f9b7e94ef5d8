#pragma once
// What touches the ground of a robot's foot, from the shapes and frames that belong to it.

#include <Eigen/Core>
#include <string>
#include <vector>

#include "panto/robot/map.hpp"

namespace panto::robot {

/// The soles of the feet that the map attaches: from the points of the foot's link and of links fixed to it,
/// where they are lowest while the foot lies flat; without points from a fixed frame whose name has "sole" in
/// it. `notes` says from what. Feet of which nothing is known stay as they are in the map.
void find_robot_soles(const Model& model, const std::vector<LinkPoints>& shapes, Map& map,
                      std::vector<std::string>& notes);

}  // namespace panto::robot
