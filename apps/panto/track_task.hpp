#pragma once
// Opens what `track`, `convert` and `check` need to track a recording with a human.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "apps/panto/inputs.hpp"
#include "apps/panto/job.hpp"
#include "apps/panto/outputs.hpp"

namespace panto::app {

/// A recording and a model, from the options.
class TrackTask {
 public:
  /// Opens both, or reads the recording from `opened`. @throws Error with the reason.
  explicit TrackTask(const TrackingOptions& options, io::Input* opened = nullptr);
  /// Takes an open recording; `notes`: those of opening it.
  TrackTask(const TrackingOptions& options, std::unique_ptr<Recording> opened,
            std::vector<std::string> notes);

  /// Returns the notes of opening, besides those of the recording.
  [[nodiscard]] std::vector<std::string>& notes() noexcept { return notes_; }
  [[nodiscard]] const Observer& observer() const noexcept { return job_.observer; }
  [[nodiscard]] TrackOptions tracking() const;
  [[nodiscard]] std::vector<TrackedPair> pairs() const;
  [[nodiscard]] bridge::ClipRun output_run() const;
  [[nodiscard]] ReportPageResult page_result(const TrackResult& result) const;

 private:
  void take_model();

  TrackingOptions options_;
  Job job_;
  std::vector<std::string> notes_;
  std::shared_ptr<const io::RobotShapes> shapes_;  // of the model

 public:
  std::unique_ptr<Recording> recording;
  std::optional<Model> model;
};

}  // namespace panto::app
