#pragma once
// What `track`, `convert` and `check` open before they track a recording with a human.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "apps/panto/inputs.hpp"
#include "apps/panto/job.hpp"
#include "apps/panto/outputs.hpp"

namespace panto::app {

/// A recording and a model, as the options say.
class TrackTask {
 public:
  /// Opens both. @throws Error with the reason.
  explicit TrackTask(const TrackingOptions& options);
  /// The same of an input that is open already.
  TrackTask(const TrackingOptions& options, io::Input& input);
  /// The same of a recording that is open already; `notes`: what came up when it was opened.
  TrackTask(const TrackingOptions& options, std::unique_ptr<Recording> opened,
            std::vector<std::string> notes);

  /// Notes of what was opened, besides those of the recording.
  [[nodiscard]] std::vector<std::string>& notes() noexcept { return notes_; }
  [[nodiscard]] const Observer& observer() const noexcept { return job_.observer; }
  [[nodiscard]] TrackOptions tracking() const;
  [[nodiscard]] std::vector<TrackedPair> pairs() const;
  [[nodiscard]] OutputRun output_run() const;
  [[nodiscard]] ReportPageResult page_result(const TrackResult& result) const;

 private:
  void open(io::Input* input);
  void take_model();

  TrackingOptions options_;
  Job job_;
  std::vector<std::string> notes_;

 public:
  std::unique_ptr<Recording> recording;
  std::optional<Model> model;
};

}  // namespace panto::app
