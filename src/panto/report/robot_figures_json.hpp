#pragma once

#include <string>

#include "panto/evaluation/robot_figures.hpp"

namespace panto {

/// The figures of a robot's motion as one JSON object on one line, keys as documented for RobotFigures. Not
/// known: null. `joints_on_limit` holds the shares of joints that ever are on a limit by name, `overlaps` the
/// pairs that do as {name: {frames, max_mm}}.
[[nodiscard]] std::string to_json(const RobotFigures& figures, const Model& model);

}  // namespace panto
