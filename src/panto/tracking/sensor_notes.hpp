#pragma once
// Findings of a run about its sensors, as sentences.

#include <string>
#include <vector>

#include "panto/tracking/sensor_findings.hpp"

namespace panto {

/// Returns sentences for people: one if all sensors agree with the model, else one for each that does not;
/// one for each pair that may be swapped; and those of `refined_lines`. `doubted`: something else speaks
/// against the result, so that agreement is not worded as praise.
[[nodiscard]] std::vector<std::string> sensor_lines(const SensorFindings& found, bool doubted = false);
/// Returns a sentence about joints that sensors show as no person moves them, without its end; empty: none.
[[nodiscard]] std::string posture_line(const std::vector<PostureFinding>& findings);
/// Returns a sentence for each position and length that the motion improved, and one for all others.
[[nodiscard]] std::vector<std::string> refined_lines(const RefinedBody& body);

}  // namespace panto
