#pragma once
// Robots from what was opened for them.

#include "panto/api/retarget.hpp"
#include "panto/io/open_robot.hpp"

namespace panto {

/// Makes the robot of an opened file: with its map, or one found from its model, and the soles of its feet's
/// shapes. Messages name the file. @throws ModelError when no map can be found, or when the given one does
/// not fit.
[[nodiscard]] Robot robot_of(const io::RobotFile& file);

}  // namespace panto
