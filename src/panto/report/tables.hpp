#pragma once
// Figures of a run as tables for people: aligned, with units, at most 80 columns; '-' for what is not known.

#include <string>

#include "panto/evaluation/joint_deviations.hpp"
#include "panto/evaluation/report_card.hpp"
#include "panto/evaluation/robot_figures.hpp"

namespace panto {

/// Writes a report card as a table. `instead`: rows in place of errors against the recording, of a run that
/// has none.
[[nodiscard]] std::string format_table(const ReportCard& card, const std::string& instead = {});
/// Writes the rows of a robot's report card that `format_table(figures, model)` does not have.
[[nodiscard]] std::string format_robot_card(const ReportCard& card);

/// Writes the figures of a robot's motion as a table, besides the number of frames. The model names the
/// joints.
[[nodiscard]] std::string format_table(const RobotFigures& figures, const Model& model);

/// Writes how surely joints are known as rows of the report card's table; empty where nothing is known.
[[nodiscard]] std::string format_table(const KnownJoints& known, const Model& model);

}  // namespace panto
