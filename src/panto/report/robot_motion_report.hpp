#pragma once
// How a robot's motion was understood, and its report card, in words and as JSON.

#include <string>
#include <vector>

#include "panto/api/robot_motion.hpp"
#include "panto/report/report.hpp"

namespace panto {

/// Returns the verdict on how a file was understood: with care where it contradicts its layout, unreliable
/// where a question is open; and on the motion, if it was judged.
[[nodiscard]] Verdict verdict_of(const RobotMotion& motion);
[[nodiscard]] Verdict verdict_of(const RobotMotion& motion, const RetargetResult& judged);

/// Returns one line: layout, robot, frames, rate.
[[nodiscard]] std::string head_of(const RobotMotion& motion);

/// Writes what was told of the file, one fact a line with how sure it is and why.
[[nodiscard]] std::string told_text(const RobotMotion& motion);

/// Writes both as one JSON object: the keys of a retargeted motion, "format", "robot" and "told".
[[nodiscard]] std::string to_json(const RobotMotion& motion, const RetargetResult& judged);
/// Returns the figures of both under the keys of that object, in its order.
[[nodiscard]] std::vector<ReportValue> report_values(const RobotMotion& motion, const RetargetResult& judged);

}  // namespace panto
