#pragma once
// Opens what `retarget` and `imitate` need.

#include <memory>
#include <string>
#include <vector>

#include "apps/panto/inputs.hpp"
#include "apps/panto/job.hpp"
#include "apps/panto/outputs.hpp"

namespace panto::app {

/// A recording, a robot and the options for retargeting.
class RobotTask {
 public:
  /// Opens recording and robot. @throws Error with the reason.
  explicit RobotTask(const TrackingOptions& options);

  [[nodiscard]] const TrackingOptions& options() const noexcept { return options_; }
  /// Returns the notes of opening, besides those of the recording.
  [[nodiscard]] std::vector<std::string>& notes() noexcept { return notes_; }
  [[nodiscard]] const Observer& observer() const noexcept { return job_.observer; }
  [[nodiscard]] RetargetOptions retargeting() const;
  [[nodiscard]] bridge::ClipRun output_run() const;

 private:
  TrackingOptions options_;
  Job job_;
  std::vector<std::string> notes_;
  SubjectDimensions subject_;

  [[nodiscard]] NamedRobot open();

 public:
  std::shared_ptr<const SensedFigures> sensed;  ///< null: the recording holds segments
  std::unique_ptr<Recording> recording;
  NamedRobot robot;
};

}  // namespace panto::app
