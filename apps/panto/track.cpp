// panto track: a recording onto a human; raw inertial sensors onto any model.

#include <CLI/CLI.hpp>
#include <cstdio>
#include <iterator>
#include <memory>

#include "apps/panto/command_line.hpp"
#include "apps/panto/commands.hpp"
#include "apps/panto/track_sensors.hpp"
#include "apps/panto/track_task.hpp"
#include "panto/base/error.hpp"
#include "panto/base/printable.hpp"
#include "panto/base/text.hpp"
#include "panto/io/input.hpp"
#include "panto/io/open_imu.hpp"
#include "panto/report/report_json.hpp"
#include "panto/report/sensor_report.hpp"
#include "panto/report/tables.hpp"

namespace panto::app {
namespace {

struct CommandOptions {
  TrackingOptions tracking;
  std::string sensors;      ///< where raw sensors sit; empty: the recording holds segments
  bool deviations = false;  ///< standard deviations of the joints
  std::string refined;      ///< raw sensors: a file of them with what was learnt of the body
  bool smooth = false;      ///< raw sensors: every sample from the whole recording
  bool json = false;
  std::vector<std::string> method;  ///< options that were given and are of segments alone
};

void print_written(const std::vector<std::string>& written) {
  for (const std::string& path : written) std::printf("\nwrote %s", printable(path).c_str());
  if (!written.empty()) std::printf("\n");
}

void print(const TrackResult& result, const Model& model, const RecordingInfo& info,
           const CommandOptions& options, const std::vector<std::string>& written) {
  if (options.json) {
    std::printf("%s\n", to_json(result.card).c_str());
    return;
  }
  const SolverKind solver = options.tracking.solver;
  const std::string method = solver == SolverKind::Dynamical ? "" : std::string(", ") + to_string(solver);
  std::printf("%s: %s -> %s%s\n\n%s", printable(options.tracking.input).c_str(), info.format.c_str(),
              printable(model.name()).c_str(), method.c_str(), format_table(result.card).c_str());
  print_written(written);
}

int track_raw(const CommandOptions& options, io::Input& input) {
  const TrackingOptions& t = options.tracking;
  if (!options.method.empty())
    throw ConfigError(options.method.front() + " is for recordings of segments; '" + t.input +
                      "' holds raw sensors");
  return track_sensors({{t.input, options.sensors, t.model, t.height, t.mass},
                        t.outputs,
                        t.report,
                        t.angles,
                        options.deviations,
                        t.settle,
                        options.refined,
                        options.smooth,
                        options.json},
                       input);
}

int track(const CommandOptions& options) {
  io::Input input(options.tracking.input, io::Folder::Allowed);
  const bool raw = io::recognise_imu(input, !options.sensors.empty()) != io::ImuFormat::None;
  if (raw && options.sensors.empty())
    throw ConfigError("'" + options.tracking.input +
                      "' holds raw sensors: --sensors FILE must say where they sit");
  if (raw) return track_raw(options, input);
  if (options.smooth)
    throw ConfigError("--smooth is for raw sensors; '" + options.tracking.input +
                      "' holds none. What a robot makes of it is smoothed by `panto retarget --smooth`");
  if (!options.sensors.empty() || options.deviations || !options.refined.empty())
    throw ConfigError(std::string(!options.sensors.empty() ? "--sensors"
                                  : options.deviations     ? "--cov"
                                                           : "--refine") +
                      " is for raw sensors; '" + options.tracking.input +
                      "' holds none (panto inspect says what it holds)");
  TrackTask task(options.tracking, input);
  Outputs outputs(options.tracking, task.output_run(), task.notes());
  say(task.notes());
  Observer observer = task.observer();
  outputs.watch(observer);
  const TrackResult result = panto::track(*task.recording, *task.model, task.tracking(), observer);
  outputs.close(task.page_result(result));
  print(result, *task.model, task.recording->info(), options, outputs.written());
  return finish(result.damage, result.frames_used, outputs.complete());
}

}  // namespace

void add_track(CLI::App& app, Run& run) {
  auto options = std::make_shared<CommandOptions>();
  TrackingOptions& tracking = options->tracking;
  CLI::App* sub =
      app.add_subcommand("track", "A recording onto a human, or raw sensors onto any model: joint angles.");
  sub->add_option("recording,-i,--in", tracking.input, std::string(kRecordingHelp) + kRawSensorsHelp)
      ->required()
      ->option_text("FILE");
  sub->add_option(
         "-o,--out,--output", tracking.outputs,
         "Output, by extension: .csv .mot .sto .npz (joint angles), .bvh .mvnx (moving skeleton); may be "
         "repeated")
      ->take_all()
      ->expected(1)
      ->option_text("FILE");
  add_body_options(*sub, tracking);
  add_choice<io::AngleConvention>(*sub, "--angles", tracking.angles,
                                  {{"model", io::AngleConvention::Model}, {"isb", io::AngleConvention::Isb}},
                                  "Angles in tables: of the model's joints, or of the 22 ISB joints");
  add_file(*sub, "--sensors", options->sensors, "FILE",
           "Of raw inertial sensors: a .toml that says on which link each sits; --model is then any model or "
           "chain");
  sub->add_flag("--cov", options->deviations,
                "Of raw sensors: a standard deviation per joint in the outputs");
  add_file(
      *sub, "--refine", options->refined, "FILE",
      "Of raw sensors: where they sit and how long segments are is learnt on the way; this .toml gets the "
      "sensors so");
  sub->add_flag("--smooth", options->smooth,
                "Of raw sensors: every sample from the whole recording, the later ones too");
  add_method_options(*sub, tracking);
  add_page_options(*sub, tracking, options->json, "the table");
  sub->footer(
      "Examples:\n"
      "  panto track take.mvnx -o take.mot -o take.csv\n"
      "  panto track take.mvnx --model human48 --angles isb -o angles.sto\n"
      "  panto track take.bvh --report take.html\n"
      "  panto track take.bvh --height 1.82 --json\n"
      "  panto track take.mvnx --solver instantaneous\n"
      "  panto track imu.csv --model arm.toml --sensors sensors.toml -o q.csv --cov\n"
      "  panto track imu.csv --model arm.toml --sensors sensors.toml -o q.csv --smooth\n"
      "  panto track imu.csv --model arm.toml --sensors sensors.toml --refine s2.toml");
  sub->callback([options, sub, &run] {
    for (const char* word : {"--rig", "--frames", "--solver", "--damping", "--module-law", "--velocity",
                             "--limits", "--align", "--paper", "--gain", "--limit-gain", "--speed-limit"}) {
      if (sub->count(word) > 0) options->method.emplace_back(word);
    }
    run = [options] { return track(*options); };
  });
}

}  // namespace panto::app
