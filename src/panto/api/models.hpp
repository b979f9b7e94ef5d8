#pragma once
// Opens models and robots by the names that every sub-command takes.

#include <string>
#include <vector>

#include "panto/io/open_model.hpp"
#include "panto/io/open_robot.hpp"
#include "panto/io/outputs.hpp"

namespace panto {

using io::check_outputs;
using io::has_own_size;
using io::shipped_models;

/// Opens the model that `--model` or `--robot` names. @throws as `io::open_model`.
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

/// Finds a map from the model called `name`. @throws ModelError as `robot::propose_robot_map`, with the
/// file's name.
[[nodiscard]] robot::MapProposal propose_map(const std::string& name, const Model& model);

}  // namespace panto
