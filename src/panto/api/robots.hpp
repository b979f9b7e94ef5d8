#pragma once
// Makes robots from opened files.

#include "panto/api/retarget.hpp"
#include "panto/io/open_robot.hpp"

namespace panto {

/// Makes the robot of an opened file: with the file's map, or one found from the model, and with soles found
/// from the shapes of its feet. Messages name the file. @throws ModelError when no map can be found, or when
/// the given one does not fit.
[[nodiscard]] Robot robot_of(const io::RobotFile& file);

}  // namespace panto
