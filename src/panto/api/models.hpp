#pragma once
// Words of the command line to things: one resolver for every sub-command.

#include <string>
#include <vector>

#include "panto/io/open_model.hpp"
#include "panto/io/open_robot.hpp"
#include "panto/io/outputs.hpp"

namespace panto {

using io::check_outputs;
using io::has_own_size;
using io::shipped_models;

/// Opens what `--model` and `--robot` name. @throws as `io::open_model`.
[[nodiscard]] inline Model resolve_model(const std::string& name, const SubjectDimensions& subject,
                                         std::vector<std::string>& notes) {
  return io::open_model(name, subject, notes);
}

/// Opens the model that a robot map at `path` is for. @throws FormatError naming the map.
[[nodiscard]] inline Model model_behind_map(const io::RobotMapFile& map, const std::string& path,
                                            const SubjectDimensions& subject,
                                            std::vector<std::string>& notes) {
  return io::model_of_robot_map(map, path, subject, notes);
}

/// Finds a map from the model that `name` names. @throws ModelError as `robot::propose_robot_map`, naming a
/// file too.
[[nodiscard]] robot::MapProposal propose_map(const std::string& name, const Model& model);

}  // namespace panto
