#pragma once
// How raw sensors and the joints that they tell of fared in a run: in words, as a table, as JSON.

#include <string>
#include <vector>

#include "panto/evaluation/joint_deviations.hpp"
#include "panto/tracking/sensed_body.hpp"

namespace panto {

/// Sensors disagree or were perhaps changed over: what is said of joints and places is not to be believed.
[[nodiscard]] bool doubtful(const SensorFindings& found);
/// For people: one line where all sensors agree with the model, else one for each that does not; for each
/// pair that was perhaps changed over, and for what was learnt.
[[nodiscard]] std::vector<std::string> sensor_lines(const SensorFindings& found);
/// A line for each sensor, in columns under their headings.
[[nodiscard]] std::string sensor_table(const SensorFindings& found);
/// By joint whether a sensor behind it measured anything, State::s order.
[[nodiscard]] std::vector<unsigned char> measured_joints(const SensorFindings& found, const Model& model);
/// How surely the joints are known, as rows of the report card's table; empty where nobody knows.
[[nodiscard]] std::string known_table(const SensorFindings& found, const KnownJoints& known,
                                      const Model& model);

/// A JSON array: how each sensor agreed.
[[nodiscard]] std::string sensors_json(const SensorFindings& found);
/// A JSON array: pairs that were perhaps changed over.
[[nodiscard]] std::string swapped_json(const SensorFindings& found);
/// A JSON object: joint_sd_median_deg, joint_sd_max_deg, least_known_joint, unmeasured_joints.
[[nodiscard]] std::string known_json(const KnownJoints& known, const Model& model);
/// All of it as the page takes it, a JSON object.
[[nodiscard]] std::string sensors_page_json(const SensorFindings& found, const KnownJoints& known,
                                            const Model& model);

}  // namespace panto
