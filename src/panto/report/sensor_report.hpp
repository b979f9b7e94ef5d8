#pragma once
// How raw sensors and the joints that they tell of fared in a run: as tables. Sentences:
// panto/tracking/sensor_notes.hpp.

#include <string>

#include "panto/api/track_sensors.hpp"
#include "panto/evaluation/joint_deviations.hpp"
#include "panto/report/report.hpp"
#include "panto/tracking/sensor_findings.hpp"

namespace panto {

/// Writes a line for each sensor, in columns under their headings.
[[nodiscard]] std::string sensor_table(const SensorFindings& found);
/// Writes how surely the joints are known as rows of the report card's table; empty where nothing is known.
[[nodiscard]] std::string known_table(const SensorFindings& found, const KnownJoints& known,
                                      const Model& model);
/// Writes what was smoothed as a sentence for people.
[[nodiscard]] std::string smoothing_line(const SmoothingCounts& counts);

}  // namespace panto
