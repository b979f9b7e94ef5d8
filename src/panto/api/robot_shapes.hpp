#pragma once
// What a robot's own file says of its shapes.

#include <string>
#include <vector>

#include "panto/io/open_robot.hpp"

namespace panto {

using io::page_meshes;

/// Returns the URDF behind what --robot names: itself, or that of a robot map; empty where there is none.
[[nodiscard]] std::string urdf_behind(const std::string& name);

}  // namespace panto
