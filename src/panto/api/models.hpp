#pragma once
// Words of the command line to things: one resolver for every sub-command.

#include <optional>
#include <string>
#include <vector>

#include "panto/io/outputs.hpp"
#include "panto/io/robot_map_file.hpp"
#include "panto/model/human.hpp"

namespace panto {

/// True for robots and files, whose sizes do not follow a subject; false for humans and for no model at all.
[[nodiscard]] bool has_own_size(const std::string& name);

/// The models that ship with Panto: humans, then robots.
[[nodiscard]] const std::vector<std::string>& shipped_models();

/// What `--model` and `--robot` name: a shipped human scaled to `subject`, a shipped robot, a URDF (.urdf), a
/// model table or a chain by Denavit and Hartenberg (.toml). What a person should know goes to `notes`.
/// @throws ConfigError for a name that is none (listing the shipped ones), FormatError for a bad file.
[[nodiscard]] Model resolve_model(const std::string& name, const SubjectDimensions& subject,
                                  std::vector<std::string>& notes);

/// A map found from the model that `name` names. @throws ModelError as `robot::propose_robot_map`, naming a
/// file too.
[[nodiscard]] robot::MapProposal propose_map(const std::string& name, const Model& model);

/// The model that a robot map at `path` is for. @throws FormatError naming the map.
[[nodiscard]] Model model_behind_map(const io::RobotMapFile& map, const std::string& path,
                                     const SubjectDimensions& subject, std::vector<std::string>& notes);

using io::check_outputs;

}  // namespace panto
