#pragma once
// A robot's run for people, programs and the page.

#include <string>
#include <vector>

#include "panto/api/imitate.hpp"
#include "panto/api/retarget.hpp"
#include "panto/recording/recording.hpp"
#include "panto/report/page.hpp"
#include "panto/tracking/sensed_person.hpp"

namespace panto {

/// What there is to report of a robot's run.
struct RobotReport {
  const Model& model;
  const RecordingInfo& info;
  const RetargetResult& result;
  const SensedFigures* sensed = nullptr;  ///< of raw sensors; null: the recording holds segments
};

/// Returns a robot's verdict that begins with that on the sensors, where there are any and they are not Good.
[[nodiscard]] Verdict with_sensors(Verdict verdict, const SensedFigures* sensed);
/// Returns all figures as one JSON object.
[[nodiscard]] std::string robot_json(const RobotReport& report);
/// Returns the figures as tables.
[[nodiscard]] std::string robot_tables(const RobotReport& report);
/// Returns what the page gets when the run has ended. `notes`: before those of the result.
[[nodiscard]] ReportPageResult page_result(const RobotReport& report, std::vector<std::string> notes);

/// Returns a whole run of gestures as one JSON object. `written`: by gesture, the outputs.
[[nodiscard]] std::string gestures_json(const ImitateResult& result, const Model& model,
                                        const RecordingInfo& info, const SensedFigures* sensed,
                                        const std::vector<std::vector<std::string>>& written);
/// Returns why a recording with frames at `stamps` has no gesture, with the options of the command that
/// decide.
[[nodiscard]] std::string no_gesture_text(const std::vector<Time>& stamps,
                                          const SegmentationOptions& options);
/// Returns a gesture and its verdict in one line.
[[nodiscard]] std::string gesture_line(const GestureResult& gesture, const Model& model);
/// Returns all figures of a gesture.
[[nodiscard]] std::string gesture_text(const GestureResult& gesture, const Model& model);

}  // namespace panto
