#pragma once
// How a robot's base moves: it floats on legs, rolls on wheels, or is fixed. docs/algorithms/robot_map.md.

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "panto/model/model.hpp"
#include "panto/robot/map.hpp"

namespace panto::robot {

/// Returns the links that are wheels, by their names, or by joints that turn without limits about horizontal
/// axes at the robot's bottom. z of the root link is up.
[[nodiscard]] std::vector<int> find_wheels(const Model& model);

/// How the base moves, and why.
struct BaseFinding {
  BaseKind kind = BaseKind::Floating;
  std::string note;  ///< for people; empty: it floats on its legs, or the file says so
};

/// Decides how the base moves: as `asked`, else as the map says; fixed if the model's file says so; else from
/// map and links: it floats on legs, rolls on wheels, and without either floats if the file says so, else is
/// fixed.
[[nodiscard]] BaseFinding find_base(const Model& model, const Map& map, std::optional<BaseKind> asked);

/// A model with its base, and the map for it.
struct BasedProposal {
  Model model;
  MapProposal proposal;
};

/// Finds base and map of a robot. The map names a base that does not float. @throws as `propose_robot_map`.
[[nodiscard]] BasedProposal propose_based_map(const Model& model, std::optional<BaseKind> asked = {});

/// Returns the height of the root link over the floor with the joints `s` and the root's z up [m]: of a base
/// that rolls, from its wheels (their surfaces, else the links' corners, else their inertias) or its
/// footprint; of a fixed base with feet, from its soles. Else 0.
[[nodiscard]] double base_height(const Model& model, const Map& map, const Eigen::VectorXd& s,
                                 std::span<const LinkPoints> surfaces = {});

}  // namespace panto::robot
