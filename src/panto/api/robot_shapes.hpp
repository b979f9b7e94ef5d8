#pragma once
// What a robot's own file says of its shapes.

#include <string>
#include <vector>

#include "panto/io/link_meshes.hpp"
#include "panto/robot/soles.hpp"

namespace panto {

/// The URDF behind what --robot names: itself, or that of a robot map; empty where there is none.
[[nodiscard]] std::string urdf_behind(const std::string& name);

/// Finds the soles of a robot's feet from its URDF and says from what.
void take_soles(const std::string& urdf_path, const Model& model, robot::Map& map,
                std::vector<std::string>& notes);

/// The shapes of a URDF's links that are seen, small enough for a page; what is not there, or was made
/// coarser, goes to `notes`. Links that the model has not are left out.
[[nodiscard]] std::vector<io::LinkMesh> page_meshes(const std::string& urdf_path, const Model& model,
                                                    std::vector<std::string>& notes);

}  // namespace panto
