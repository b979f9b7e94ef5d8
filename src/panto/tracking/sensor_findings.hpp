#pragma once
// Findings of a run about its sensors: how well each agreed with the model, and which two may be swapped.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "panto/evaluation/findings.hpp"
#include "panto/model/model.hpp"

namespace panto {

/// Returns a squared innovation as a multiple of the expected error of a reading: 1 is usual.
[[nodiscard]] std::optional<double> multiple(const std::optional<double>& innovation);
/// Returns the largest of a sensor's innovations; 0 without any.
[[nodiscard]] double worst_innovation(const SensorSummary& sensor);
/// Returns `worst_innovation` as a multiple of the expected error.
[[nodiscard]] double off_by(const SensorSummary& sensor);
/// Returns whether an innovation is so large that its sensor disagrees with the model.
[[nodiscard]] bool is_odd(const std::optional<double>& innovation);
/// Returns whether a sensor disagrees with the model.
[[nodiscard]] bool disagrees(const SensorSummary& sensor);
/// Returns whether sensors disagree or may be swapped: then joints and positions are unreliable.
[[nodiscard]] bool doubtful(const SensorFindings& found);
/// Returns by joint, State::s order, 1 if a sensor further out measured anything, else 0; 0 too for
/// more than three joints between two sensors around one that measured nothing. (dof) @throws
/// ModelError for a sensor on a link that the model lacks.
[[nodiscard]] std::vector<unsigned char> measured_joints(const SensorFindings& found, const Model& model);

}  // namespace panto
