#include "apps/panto/track_task.hpp"

#include <utility>

#include "panto/recording/trackable.hpp"

namespace panto::app {

TrackTask::TrackTask(const TrackingOptions& options, io::Input* opened) : options_(options) {
  check_output_names(options_);
  check_effects(options_);
  recording = open_recording(options_, notes_, job_.observer, opened).recording;
  take_model();
}

TrackTask::TrackTask(const TrackingOptions& options, std::unique_ptr<Recording> opened,
                     std::vector<std::string> notes)
    : options_(options), notes_(std::move(notes)), recording(std::move(opened)) {
  take_model();
}

void TrackTask::take_model() {
  check_trackable(*recording);
  io::ShapedModel body = model_for(options_, recording->info(), notes_);
  model.emplace(std::move(body.model));
  shapes_ = std::move(body.shapes);
}

TrackOptions TrackTask::tracking() const {
  return {options_.solver, solver_options(options_), {}, options_.settle, false};
}

std::vector<TrackedPair> TrackTask::pairs() const {
  return followed_pairs(*recording, *model, options_.model);
}

bridge::ClipRun TrackTask::output_run() const {
  return {*model, recording->info(), recording->names(), pairs(), shapes_};
}

ReportPageResult TrackTask::page_result(const TrackResult& result) const {
  return panto::page_result(result, recording->info(), notes_);
}

}  // namespace panto::app
