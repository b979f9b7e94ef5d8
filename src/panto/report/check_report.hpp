#pragma once
// Checks in words and as JSON.

#include <string>

#include "panto/api/check.hpp"
#include "panto/io/open_model.hpp"
#include "panto/report/report.hpp"

namespace panto {

/// Writes what is wrong with a robot map for people.
[[nodiscard]] std::string to_text(const MapCheck& check, const io::RobotFile& robot);
/// Writes the same as one JSON object: file, model, passed, faults, notes.
[[nodiscard]] std::string to_json(const MapCheck& check, const io::RobotFile& robot);

/// Writes a proposed robot map as a table for people.
[[nodiscard]] std::string to_text(const robot::MapProposal& proposal, const io::RobotFile& robot);
/// Writes it as one JSON object: robot, segments, rest, notes. `notes`: of the model's reader, which come
/// first.
[[nodiscard]] std::string to_json(const robot::MapProposal& proposal, const io::RobotFile& robot);

}  // namespace panto
