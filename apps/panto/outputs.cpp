#include "apps/panto/outputs.hpp"

#include "apps/panto/interruption.hpp"
#include "panto/io/outputs.hpp"
#include "panto/io/state_file.hpp"

namespace panto::app {

void check_output_names(const TrackingOptions& options) {
  bridge::check_clip_outputs(options,
                             {options.input, options.sensors, options.model, options.robot, options.character,
                              options.rig, options.character_rig},
                             io::mover_of(options.robot, options.character));
  io::check_ending("--report", options.report, ".html", "a page");
  io::check_ending("--frames", options.frames, ".csv", "a table");
}

std::unique_ptr<bridge::ClipOutputs> open_outputs(const TrackingOptions& options, bridge::ClipRun run,
                                                  std::vector<std::string>& notes) {
  run.settings = settings_of(options);
  run.version = PANTO_VERSION;
  auto outputs = std::make_unique<bridge::ClipOutputs>(options, run, notes);
  remove_when_interrupted(bridge::written_files(options));
  return outputs;
}

}  // namespace panto::app
