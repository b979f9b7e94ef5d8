#pragma once
// Writes models for OpenSim 4 (.osim): bodies, joints, coordinates, simple shapes; no muscles, no markers.

#include <string>
#include <vector>

#include "panto/model/model.hpp"

namespace panto::io {

/// Returns the model as OpenSim opens it. Bodies are the links, in our axes; the ground has y up, so that
/// links are turned as `create_opensim` turns its base. Coordinates have the names of `create_opensim`'s
/// columns, our units, ranges and rest pose. Revolute joints through one point with nothing but massless
/// links between them become one joint of several coordinates, and these links go. Equalities become
/// coupled coordinates.
///
/// `notes`, if given, receives one sentence for all that .osim cannot hold or needs otherwise.
/// @throws ConfigError when a joint's name cannot be a column of OpenSim's tables.
[[nodiscard]] std::string write_osim(const Model& model, std::vector<std::string>* notes = nullptr);

/// Writes it to a file, which appears complete or not at all. @throws Error when it cannot be written.
void write_osim_file(const Model& model, const std::string& path, std::vector<std::string>* notes = nullptr);

}  // namespace panto::io
