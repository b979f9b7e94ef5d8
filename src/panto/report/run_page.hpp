#pragma once
// Solves a recording, or judges a robot's motion, and writes the page of that run.

#include <string>
#include <string_view>
#include <vector>

#include "panto/api/retarget.hpp"
#include "panto/api/robot_motion.hpp"
#include "panto/report/page.hpp"

namespace panto {

/// What a page says besides the run.
struct RunPageFacts {
  std::string version = {};               ///< of Panto
  std::vector<io::LinkMesh> meshes = {};  ///< shapes of the model's links
  std::vector<std::string> notes = {};    ///< of reader and set-up, for people
  const SensedFigures* sensed = nullptr;  ///< of raw sensors; null: the recording holds segments
  std::string_view page = report_page_template();
};

/// A run whose page was written.
struct RunPage {
  Verdict verdict;
  Motion motion;
};

/// Tracks a recording with a human model. @throws as `track` and `ReportPage`.
[[nodiscard]] RunPage track_page(const io::Destination& to, Recording& recording, const Model& human,
                                 const RunPageFacts& facts, const Observer& observer = {});
/// Retargets a recording onto a robot. @throws as `retarget` and `ReportPage`.
[[nodiscard]] RunPage retarget_page(const io::Destination& to, Recording& recording, const Robot& robot,
                                    const RetargetOptions& options, const RunPageFacts& facts,
                                    const Observer& observer = {});
/// Judges a robot's motion. `name`: of its file. @throws as `ReportPage`.
[[nodiscard]] RunPage motion_page(const io::Destination& to, const RobotMotion& motion,
                                  const std::string& name, const RunPageFacts& facts);

}  // namespace panto
