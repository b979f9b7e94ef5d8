#pragma once
// How raw sensors and the joints that they tell of fared in a run: as tables and as JSON. Sentences:
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

/// Writes a JSON array: how each sensor agreed.
[[nodiscard]] std::string sensors_json(const SensorFindings& found);
/// Writes a JSON array: pairs that may be swapped.
[[nodiscard]] std::string swapped_json(const SensorFindings& found);
/// Writes a JSON object: joint_sd_median_deg, joint_sd_max_deg, least_known_joint, unmeasured_joints.
[[nodiscard]] std::string known_json(const KnownJoints& known, const Model& model);
/// Writes a JSON object of what was learnt of a body: {"places": [...], "lengths": [...]}.
[[nodiscard]] std::string refined_json(const RefinedBody& body);
/// Writes all of it as the report page takes it, a JSON object.
[[nodiscard]] std::string sensors_page_json(const SensorFindings& found, const KnownJoints& known,
                                            const Model& model);

}  // namespace panto
