#pragma once
// What a robot's own file says of its shapes.

#include <memory>
#include <string>
#include <vector>

#include "panto/io/open_robot.hpp"

namespace panto {

using io::page_meshes;

/// Reads the shapes that the URDF behind `name` names: the URDF itself, or that of a robot map; null where
/// there is none.
[[nodiscard]] std::shared_ptr<const io::UrdfShapes> shapes_behind(const std::string& name);

}  // namespace panto
