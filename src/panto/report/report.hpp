#pragma once
// Results in words and as JSON: the verdict, one sentence with the few figures that it rests on; all figures.
// As a page: page.hpp.

#include <optional>
#include <string>
#include <vector>

#include "panto/api/calibrate.hpp"
#include "panto/api/check.hpp"
#include "panto/api/convert.hpp"
#include "panto/api/imitate.hpp"
#include "panto/api/inspect.hpp"
#include "panto/api/retarget.hpp"
#include "panto/api/track.hpp"
#include "panto/api/track_sensors.hpp"

namespace panto {

/// One figure of a result.
struct Figure {
  std::string name;             ///< "feet slide in stance, 95 %"
  std::optional<double> value;  ///< absent: not known
  std::string unit;
  std::optional<double> limit;  ///< above it the verdict is not Good; absent: there is none
  double rounding = 0.0;        ///< smaller values are rounding, and shown as 0
  std::string detail;           ///< whose it is, "left_ankle_roll_joint"; may be empty
  bool said = false;            ///< the verdict's sentence has it
};

/// What may make a result better. How a user asks for it, a door knows.
enum class Remedy : unsigned char {
  PlanFeet,         ///< FeetMode::Plant
  Smooth,           ///< RetargetOptions::smooth
  ScaleIntoLimits,  ///< RetargetOptions::scale
  Ground,           ///< the recording put on the floor when it is read
  InspectBoth,      ///< `inspect` of the recording and the robot's map: one of them may be wrong
};

/// A result in one sentence.
struct Verdict {
  enum class Grade : unsigned char {
    Good,        ///< nothing is wrong that can be seen
    Care,        ///< usable, but parts of it are not as they should be
    Unreliable,  ///< not to be used before the reason is settled
  };
  Grade grade = Grade::Good;
  std::string sentence;               ///< "Good: ...", "Usable, but ...", "Not usable: ..."
  std::vector<Figure> figures;        ///< the at most five that matter most; those above their limit first
  std::vector<Figure> more;           ///< the others that were judged
  std::vector<Remedy> remedies = {};  ///< what may help, the most likely first
};
/// "good", "usable_with_care" or "unreliable": stable, for programs.
[[nodiscard]] const char* to_string(Verdict::Grade grade) noexcept;
/// "Good", "Usable, but" or "Not usable": how sentences begin.
[[nodiscard]] const char* word_of(Verdict::Grade grade) noexcept;

/// Returns the verdict on a recording that was tracked.
[[nodiscard]] Verdict verdict_of(const TrackResult& result);
/// Returns the verdict on a motion of a robot. `model`: the robot.
[[nodiscard]] Verdict verdict_of(const RetargetResult& result, const Model& model);
/// Returns the verdict on gestures of a robot: the worst one's.
[[nodiscard]] Verdict verdict_of(const ImitateResult& result, const Model& model);
/// Returns the verdict on raw sensors that were tracked. `model`: what was tracked.
[[nodiscard]] Verdict verdict_of(const SensorTrackResult& result, const Model& model);
/// Returns the verdict on the sensors of a person whom a robot follows.
[[nodiscard]] Verdict verdict_of(const SensedFigures& person);
/// Returns the verdict on a calibration.
[[nodiscard]] Verdict verdict_of(const CalibrateResult& result);
/// Returns the verdict on a recording that was inspected.
[[nodiscard]] Verdict verdict_of(const Inspection& inspection);
[[nodiscard]] Verdict verdict_of(const ImuInspection& inspection);
/// Returns the verdict on checks. `name`: of what was checked.
[[nodiscard]] Verdict verdict_of(const CheckReport& report, const std::string& name);
[[nodiscard]] Verdict verdict_of(const MapCheck& check, const std::string& name);
/// Returns the verdict on a recording that was written as it was measured.
[[nodiscard]] Verdict verdict_of(const WrittenSamples& written);

/// Writes the figures of a verdict that its sentence does not say, one a line, at most 80 columns wide where
/// names are short.
[[nodiscard]] std::string figures_text(const Verdict& verdict);

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
/// Writes the same as one JSON object: the card's keys, how surely joints are known, and "sensors",
/// "swapped_sensors", "refined" and "smoothing" where there are any.
[[nodiscard]] std::string to_json(const SensorTrackResult& result, const Model& model);

/// Writes a calibration for people: poses, joints, a line for each sensor, and lengths.
[[nodiscard]] std::string to_text(const CalibrateResult& result);
/// Writes a line for each sensor, joint and length that needs a word: what to repeat, what stays open.
[[nodiscard]] std::string advice_text(const CalibrateResult& result);
/// Writes a calibration as one JSON object. `recording` and `model`: names of the two.
[[nodiscard]] std::string to_json(const CalibrateResult& result, const std::string& recording,
                                  const std::string& model);

/// Writes an inspection for people without its verdict, at most 80 columns wide.
[[nodiscard]] std::string to_text(const Inspection& inspection);
/// Writes what is odd about a recording and the notes of its reader; empty where there are none.
[[nodiscard]] std::string findings_text(const Inspection& inspection);
[[nodiscard]] std::string findings_text(const ImuInspection& inspection);
/// Writes an inspection as one JSON object; keys: docs/formats/inspect_json.md.
[[nodiscard]] std::string to_json(const Inspection& inspection);

/// Writes an inspection of raw sensors for people without its verdict, at most 80 columns wide.
[[nodiscard]] std::string to_text(const ImuInspection& inspection);
/// Writes an inspection of raw sensors as one JSON object; keys: docs/formats/inspect_json.md.
[[nodiscard]] std::string to_json(const ImuInspection& inspection);

/// Which checks a text has.
enum class ShownChecks : unsigned char { Failed, All };
/// Writes a line for each check that failed, or for all.
[[nodiscard]] std::string to_text(const CheckReport& report, ShownChecks shown = ShownChecks::Failed);
/// Writes checks as one JSON object: file, passed, failed_count, checks.
[[nodiscard]] std::string to_json(const CheckReport& report, const std::string& name);

}  // namespace panto
