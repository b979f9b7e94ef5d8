#pragma once
// What a recording must have to be put onto a body.

#include <string>
#include <vector>

#include "panto/evaluation/recording_health.hpp"
#include "panto/recording/recording.hpp"

namespace panto {

/// Checks that a recording can be put onto a body. @throws FormatError when it says itself that it cannot, or
/// lacks a segment that its attachments need.
void check_trackable(const Recording& recording);

/// Returns what the human that follows them calls the recording's segments, in their order; others keep their
/// names.
[[nodiscard]] std::vector<std::string> human_names(const Recording& recording);

/// Returns what a user of a recording must know, one sentence each: its faults, and what is suspect about it.
[[nodiscard]] std::vector<std::string> warnings(const std::vector<Finding>& findings);

}  // namespace panto
