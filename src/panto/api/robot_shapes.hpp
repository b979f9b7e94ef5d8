#pragma once
// Finds the file of a robot's shapes.

#include <string>
#include <vector>

#include "panto/io/open_robot.hpp"

namespace panto {

using io::page_meshes;

/// Returns the URDF that --robot names, directly or through a robot map; empty where there is none.
[[nodiscard]] std::string urdf_behind(const std::string& name);

}  // namespace panto
