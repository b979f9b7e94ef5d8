#pragma once
// Checks whether a recording can be put onto a body.

#include <string>
#include <vector>

#include "panto/evaluation/recording_health.hpp"
#include "panto/recording/recording.hpp"

namespace panto {

/// Checks that a recording can be put onto a body. @throws FormatError if the recording states that it
/// cannot, or if it lacks a segment of its attachments.
void check_trackable(const Recording& recording);

/// Returns the recording's segment names as the human that follows them names them, in their order; other
/// segments keep their names.
[[nodiscard]] std::vector<std::string> human_names(const Recording& recording);

/// Returns which part of a person the recording has, "upper body only (no legs in the recording)"; empty:
/// legs and arms.
[[nodiscard]] std::string part_of_person(const Recording& recording);

/// Returns what a user of a recording must know, one sentence each: errors and warnings.
[[nodiscard]] std::vector<std::string> warnings(const std::vector<Finding>& findings);

}  // namespace panto
