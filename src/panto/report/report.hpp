#pragma once
// Results in words and as JSON. As a page: page.hpp.

#include <string>

#include "panto/api/calibrate.hpp"
#include "panto/api/check.hpp"
#include "panto/api/inspect.hpp"
#include "panto/api/retarget.hpp"
#include "panto/api/track.hpp"
#include "panto/api/track_sensors.hpp"

namespace panto {

/// Writes how a recording was tracked for people, at most 80 columns wide.
[[nodiscard]] std::string to_text(const TrackResult& result, const Model& model);
/// Writes the same as one JSON object, the keys of `ReportCard`; what is not known is null.
[[nodiscard]] std::string to_json(const TrackResult& result, const Model& model);

/// Writes how a recording was retargeted for people, at most 80 columns wide.
[[nodiscard]] std::string to_text(const RetargetResult& result, const Model& robot);
/// Writes the same as one JSON object: the keys of the report card, then those of robots.
[[nodiscard]] std::string to_json(const RetargetResult& result, const Model& robot);

/// Writes how raw sensors were tracked for people: the card, then a line for each sensor.
[[nodiscard]] std::string to_text(const SensorTrackResult& result, const Model& model);
/// Writes the same as one JSON object: the card's keys, those of `known_json`, and "sensors",
/// "swapped_sensors", "refined" and "smoothing" where there are any.
[[nodiscard]] std::string to_json(const SensorTrackResult& result, const Model& model);

/// Writes a calibration for people: poses, joints, a line for each sensor, and lengths.
[[nodiscard]] std::string to_text(const CalibrateResult& result);
/// Writes a calibration as one JSON object. `recording` and `model`: names of the two.
[[nodiscard]] std::string to_json(const CalibrateResult& result, const std::string& recording,
                                  const std::string& model);

/// Writes an inspection for people, at most 80 columns wide.
[[nodiscard]] std::string to_text(const Inspection& inspection);
/// Writes an inspection as one JSON object; keys: docs/formats/inspect_json.md.
[[nodiscard]] std::string to_json(const Inspection& inspection);

/// Writes an inspection of raw sensors for people, at most 80 columns wide.
[[nodiscard]] std::string to_text(const ImuInspection& inspection);
/// Writes an inspection of raw sensors as one JSON object; keys: docs/formats/inspect_json.md.
[[nodiscard]] std::string to_json(const ImuInspection& inspection);

/// Writes checks for people: a line for each that failed, with `verbose` for those that passed too, and how
/// many did. `name`: of what was checked.
[[nodiscard]] std::string to_text(const CheckReport& report, const std::string& name, bool verbose = false);
/// Writes checks as one JSON object: file, passed, failed_count, checks.
[[nodiscard]] std::string to_json(const CheckReport& report, const std::string& name);

}  // namespace panto
