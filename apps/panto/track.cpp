// panto track: tracks a recording with a human model, or raw inertial sensors with any model.

#include <CLI/App.hpp>
#include <cstdio>
#include <memory>

#include "apps/panto/commands.hpp"
#include "apps/panto/track_sensors.hpp"
#include "apps/panto/track_task.hpp"
#include "apps/support/command_line.hpp"
#include "panto/base/error.hpp"
#include "panto/base/text.hpp"
#include "panto/io/imu_formats.hpp"
#include "panto/io/input.hpp"
#include "panto/report/card_json.hpp"
#include "panto/report/sensor_report.hpp"
#include "panto/report/tables.hpp"

namespace panto::app {
namespace {

struct CommandOptions {
  TrackingOptions tracking;
  std::string sensors;              ///< mounting of raw sensors; empty: the recording holds segments
  bool deviations = false;          ///< standard deviations of the joints
  std::string refined;              ///< raw sensors: output file of their refined mounting
  bool smooth = false;              ///< raw sensors: estimates every sample from the whole recording
  std::vector<std::string> method;  ///< given options that apply to segments only
};

void print(const TrackResult& result, const Model& model, const RecordingInfo& info,
           const CommandOptions& options, const std::vector<std::string>& written) {
  if (options.tracking.printing.json) return void(std::printf("%s\n", to_json(result).c_str()));
  const SolverKind solver = options.tracking.solver;
  const std::string method = solver == SolverKind::Dynamical ? "" : std::string(", ") + to_string(solver);
  print_result(verdict_of(result),
               options.tracking.input + ": " + info.format + " -> " + model.name() + method,
               options.tracking.printing.verbose ? format_table(result.card) : "", written);
}

int track_raw(const CommandOptions& options, io::Input& input) {
  const TrackingOptions& t = options.tracking;
  refuse_given(options.method, t.input, "holds raw sensors");
  const SensorFiles files{t.input, options.sensors, t.model, t.height, t.mass, t.base};
  return track_sensors(
      {{t.input, t.outputs, t.report, options.refined, t.angles, options.deviations, t.settle},
       files,
       options.smooth,
       t.printing},
      input);
}

int track(const CommandOptions& options) {
  io::Input input(options.tracking.input, io::Folder::Allowed);
  const bool raw =
      io::recognise_imu(input, options.sensors.empty() ? io::Mountings::Unknown : io::Mountings::Given) !=
      io::ImuFormat::None;
  if (raw && options.sensors.empty())
    throw ConfigError("'" + options.tracking.input +
                      "' holds raw sensors: give their mounting with --sensors FILE");
  if (raw) return track_raw(options, input);
  if (options.smooth)
    throw ConfigError("--smooth applies to raw sensors only; '" + options.tracking.input +
                      "' holds none. To smooth a robot's motion: `panto retarget --smooth`");
  if (!options.sensors.empty() || options.deviations || !options.refined.empty())
    throw ConfigError(std::string(!options.sensors.empty() ? "--sensors"
                                  : options.deviations     ? "--cov"
                                                           : "--refine") +
                      " applies to raw sensors only; '" + options.tracking.input +
                      "' holds none (panto inspect shows its content)");
  TrackTask task(options.tracking, &input);
  const auto outputs = open_outputs(options.tracking, task.output_run(), task.notes());
  say(task.notes());
  Observer observer = task.observer();
  outputs->watch(observer);
  const TrackResult result = panto::track(*task.recording, *task.model, task.tracking(), observer);
  say_problems(outputs->close(task.page_result(result)));
  print(result, *task.model, task.recording->info(), options, outputs->written());
  return code_of(verdict_of(result), options.tracking.printing.strict,
                 finish(result.damage, result.frames_used, outputs->complete()));
}

}  // namespace

void add_track(CLI::App& app, Run& run) {
  auto options = std::make_shared<CommandOptions>();
  TrackingOptions& tracking = options->tracking;
  CLI::App* sub =
      app.add_subcommand("track", "Compute joint angles of a human, or of any model from raw sensors.");
  add_recording(*sub, tracking.input);
  add_text(
      *sub, "-o,--out,--output", tracking.outputs, "FILE",
      "Write this output, by extension: .csv .mot .sto .npz (joint angles), .bvh .mvnx (moving skeleton); "
      "may be repeated");
  add_body_options(*sub, tracking);
  add_choice(*sub, "--angles,--for", tracking.angles, io::angle_conventions(), kAnglesHelp);
  add_file(*sub, "--sensors", options->sensors, "FILE",
           "Raw sensors: read their mounting from a .toml; --model is then any model or chain");
  add_flag(*sub, "--cov", options->deviations,
           "Raw sensors: add a standard deviation per joint to the outputs");
  add_file(
      *sub, "--refine", options->refined, "FILE",
      "Raw sensors: refine sensor positions and segment lengths while tracking; write them to this .toml");
  add_flag(*sub, "--smooth", options->smooth,
           "Raw sensors: estimate every sample from the whole recording, later samples included");
  add_method_options(*sub, tracking);
  add_page_options(*sub, tracking);
  sub->footer(
      "Examples:\n"
      "  panto track take.mvnx -o take.mot -o take.csv\n"
      "  panto track take.mvnx --model human48 --angles isb -o angles.sto\n"
      "  panto track take.bvh --height 1.82 --json\n"
      "  panto track imu.csv --model arm.toml --sensors sensors.toml -o q.csv --cov\n"
      "  panto track imu.csv --model arm.toml --sensors sensors.toml -o q.csv --smooth\n"
      "  panto track imu.csv --model arm.toml --sensors sensors.toml --refine s2.toml");
  sub->callback([options, sub, &run] {
    options->method = given_besides(
        *sub, {"--in", "--out", "--model", "--base", "--height", "--mass", "--angles", "--sensors", "--cov",
               "--refine", "--smooth", "--settle", "--report", "--verbose", "--json", "--strict"});
    run = [options] { return track(*options); };
  });
}

}  // namespace panto::app
