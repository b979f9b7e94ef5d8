#include "apps/panto/track_sensors.hpp"

#include <cstdio>
#include <utility>

#include "apps/panto/commands.hpp"
#include "apps/panto/interruption.hpp"
#include "apps/panto/job.hpp"
#include "apps/support/command_line.hpp"
#include "panto/api/track_sensors.hpp"
#include "panto/base/error.hpp"
#include "panto/base/text.hpp"
#include "panto/io/imu_formats.hpp"
#include "panto/io/model_formats.hpp"
#include "panto/io/open_model.hpp"
#include "panto/io/outputs.hpp"
#include "panto/live/address.hpp"
#include "panto/report/sensor_report.hpp"
#include "panto/report/tables.hpp"
#include "panto/tracking/sensor_notes.hpp"

namespace panto::app {
namespace {

using Settings = std::vector<std::pair<std::string, std::string>>;

void check_names(const SensorTrackingOptions& options) {
  for (const std::string& path : options.outputs) {
    if (live::is_address(path))
      throw ConfigError("output '" + path + "': raw sensors can be tracked to files only, not to an address" +
                        (options.smooth ? "; --smooth needs the whole recording first" : ""));
  }
  io::check_angles(options.outputs, options.angles);
  io::check_ending("--report", options.report, ".html", "a page");
  io::check_ending("--refine", options.refined, ".toml", "a sensors file");
}

Settings settings_of(const SensorTrackingOptions& options) {
  Settings settings{{"recording", options.files.input},
                    {"--model", options.files.model},
                    {"--sensors", options.files.sensors}};
  if (options.smooth) settings.emplace_back("--smooth", "on");
  if (options.deviations) settings.emplace_back("--cov", "on");
  if (!options.refined.empty()) settings.emplace_back("--refine", options.refined);
  if (options.files.height) settings.emplace_back("--height", digits(*options.files.height, 4));
  return settings;
}

SensorTrackResult track_into(const SensorTrackingOptions& options, OpenedSensors opened,
                             bridge::SensorOutputs& outputs) {
  SensorTrackOptions how;
  how.smooth = options.smooth;
  how.deviations = options.deviations || !options.report.empty();
  how.refine = !options.refined.empty();
  how.settle = options.settle;
  how.keep_motion = false;
  how.subject = opened.subject;
  const Job job;
  Observer observer = job.observer;
  outputs.watch(observer);
  return panto::track(std::move(opened.clip), opened.model, opened.sensors, how, observer);
}

void print(const SensorTrackingOptions& options, const std::string& format, const Model& model,
           const SensorTrackResult& result, const std::vector<std::string>& written) {
  say(sensor_lines(result.found, verdict_of(result, model).grade != Verdict::Grade::Good));
  if (result.smoothed) say_note(smoothing_line(*result.smoothed));
  if (options.printing.json) {
    std::printf("%s\n", to_json(result, model).c_str());
    return;
  }
  const std::string tables = format_table(result.card, known_table(result.found, result.known, model)) +
                             "\n" + sensor_table(result.found);
  print_result(verdict_of(result, model),
               options.files.input + ": " + format + " -> " + model.name() + ", " +
                   counted(std::ssize(result.found.sensors), "sensor"),
               options.printing.verbose ? tables : "", written);
}

}  // namespace

OpenedSensors open_sensors(const SensorFiles& files, io::Input* opened) {
  ImuClip clip = opened != nullptr ? io::open_imu(*opened) : io::open_imu(files.input);
  SensorSetup sensors = io::read_sensors(files.sensors);
  if (files.height || files.mass) io::check_scalable(files.model);
  if (!io::has_own_size(files.model) && !files.height)
    clip.notes.emplace_back("assuming an average body of 1.75 m; give --height if it differs");
  const SubjectDimensions subject = scaled_subject(files.height.value_or(1.75), files.mass.value_or(70.0));
  io::ShapedModel body = io::open_shaped_model(files.model, subject, clip.notes, files.base);
  return {std::move(clip), std::move(sensors), subject, std::move(body.model), std::move(body.shapes)};
}

int track_sensors(const SensorTrackingOptions& options, io::Input& input) {
  check_names(options);
  const std::vector<std::string> paths = bridge::written_files(options);
  io::check_outputs(paths, {options.files.input, options.files.sensors, options.files.model});
  OpenedSensors opened = open_sensors(options.files, &input);
  const Model model = opened.model;
  const std::string format = opened.clip.format;
  bridge::SensorOutputs outputs(
      options, {model, opened.clip, opened.shapes.get(), settings_of(options), PANTO_VERSION},
      opened.clip.notes);
  remove_when_interrupted(paths);
  const SensorTrackResult result = track_into(options, std::move(opened), outputs);
  say_problems(outputs.close(result));
  if (!options.refined.empty() && doubtful(result.found))
    say({"warning: " + options.refined +
         " is unreliable: sensors disagree or may be swapped; do not use it"});
  print(options, format, model, result, outputs.written());
  return code_of(verdict_of(result, model), options.printing.strict,
                 outputs.complete() ? kGood : kUnusableInput);
}

}  // namespace panto::app
