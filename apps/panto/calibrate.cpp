// panto calibrate: finds the mounting of raw sensors on their segments, from held poses and from motion.

#include <CLI/App.hpp>
#include <cstdio>
#include <memory>
#include <optional>

#include "apps/panto/commands.hpp"
#include "apps/panto/job.hpp"
#include "apps/panto/tracking_options.hpp"
#include "apps/support/command_line.hpp"
#include "panto/api/calibrate.hpp"
#include "panto/base/error.hpp"
#include "panto/base/text.hpp"
#include "panto/io/open_imu.hpp"
#include "panto/io/open_model.hpp"
#include "panto/io/outputs.hpp"
#include "panto/io/part_file.hpp"
#include "panto/report/report.hpp"
#include "panto/report/shared_names.hpp"

namespace panto::app {
namespace {

struct CalibrateWords {
  std::string input, sensors, model = "human66", output, trusted;
  std::vector<std::string> poses;
  std::string walk;                  ///< FROM..TO or all
  std::vector<std::string> motions;  ///< FROM..TO or all
  std::vector<std::string> hinges;   ///< JOINT or JOINT=FROM..TO
  std::optional<double> height;
  PrintOptions printing;
};

// reads FROM..TO in seconds since the clip's beginning, or `all`
TimeSpan span_of(const std::string& option, const std::string& word, const ImuClip& clip) {
  constexpr double longest = 1e7;  // [s]
  if (word == "all") return {};
  const std::size_t dots = word.find("..");
  if (dots == std::string::npos)
    throw ConfigError(option + " '" + word + "': must be FROM..TO in seconds, such as 12..20, or all");
  const double from = number_between(option, word.substr(0, dots), 0.0, longest, "s");
  const double to = number_between(option, word.substr(dots + 2), 0.0, longest, "s");
  if (!(from < to))
    throw ConfigError(option + " '" + word + "': ends before it begins; write FROM..TO with FROM < TO");
  const double length = clip.times.empty() ? 0.0 : to_seconds(clip.times.back() - clip.times.front());
  if (from >= length || to > length + 1.0)
    throw ConfigError(option + " '" + word + "': outside the recording; '" + clip.name +
                      "' lasts from 0 to " + decimals(length, 1) + " s");
  return {from, to};
}

CalibrateOptions options_of(const CalibrateWords& words, const ImuClip& clip) {
  CalibrateOptions options;
  options.poses = words.poses;
  options.trusted = words.trusted;
  if (!words.walk.empty()) options.walk = span_of("--walk", words.walk, clip);
  for (const std::string& word : words.hinges) {
    const std::size_t sign = word.rfind('=');
    const bool whole = sign == std::string::npos;
    options.hinges.emplace_back(word.substr(0, sign),
                                whole ? TimeSpan{} : span_of("--hinge", word.substr(sign + 1), clip));
  }
  for (const std::string& word : words.motions) options.motions.push_back(span_of("--motion", word, clip));
  return options;
}

// names the sources of the calibration, for the head of its file
std::string sources_of(const CalibrateWords& words) {
  std::vector<std::string> sources = words.poses;
  for (const std::string& word : words.hinges) sources.push_back("hinge " + word);
  for (const std::string& word : words.motions) sources.push_back("motion " + word);
  return listed(sources, 40);
}

void write(const CalibrateWords& words, const CalibrateResult& result) {
  std::vector<std::string> remarks;
  for (const CalibratedSensor& sensor : result.found) remarks.push_back(sensor.good ? "" : sensor.advice);
  const std::string head =
      "calibrated by panto from " + sources_of(words) + " in " + shared_name(words.input);
  io::write_file(words.output, io::sensors_text(result.sensors, head, remarks));
}

void check_output(const CalibrateWords& words) {
  if (words.output.empty()) return;
  io::check_outputs({words.output}, {words.input, words.sensors, words.model});
  io::check_ending("output", words.output, ".toml", "a sensors file");
}

Model model_of(const CalibrateWords& words, std::vector<std::string>& notes) {
  if (words.height) io::check_scalable(words.model);
  return io::open_model(words.model, scaled_subject(words.height.value_or(1.75)), notes);
}

int run_calibrate(const CalibrateWords& words) {
  check_output(words);
  ImuClip clip = io::open_imu(words.input);
  const Model model = model_of(words, clip.notes);
  const SensorSetup nominal =
      words.sensors.empty() ? mounts_by_name(clip, model) : io::read_sensors(words.sensors);
  const CalibrateResult result = calibrate(clip, model, nominal, options_of(words, clip));
  say(result.notes);
  std::vector<std::string> written;
  if (!words.output.empty()) {
    write(words, result);
    written.push_back(words.output +
                      (result.good ? "" : " (what must be repeated counts as not calibrated)"));
  }
  const Verdict verdict = verdict_of(result);
  if (words.printing.json) {
    std::printf("%s\n", to_json(result, words.input, model.name()).c_str());
  } else {
    print_result(verdict, words.input + ": " + clip.format + " -> " + model.name(),
                 words.printing.verbose ? to_text(result) : figures_text(verdict) + advice_text(result),
                 written);
  }
  return code_of(verdict, words.printing.strict, result.good ? kGood : kCheckFailed);
}

void add_motion_options(CLI::App& sub, CalibrateWords& words) {
  add_text(sub, "--hinge", words.hinges, "JOINT[=FROM..TO]",
           "Find sensor orientations from a hinge that moved alone, the other joints between the same two "
           "sensors held at [start] of --sensors; FROM..TO: when, in seconds. May be repeated");
  add_text(sub, "--motion", words.motions, "FROM..TO|all",
           "Find sensor positions and segment lengths from free motion of all joints, and orientations from "
           "its single hinges; FROM..TO: when, in seconds. May be repeated");
}

}  // namespace

void add_calibrate(CLI::App& app, Run& run) {
  auto options = std::make_shared<CalibrateWords>();
  CLI::App* sub =
      app.add_subcommand("calibrate", "Find how raw sensors sit on the body, from held poses and motion.");
  add_text(*sub, "recording,-i,--in", options->input, "FILE",
           "Sensors to read, raw or fused: .csv, .npz, .sto, .mvnx, an Xsens or APDM export")
      ->required();
  add_text(
      *sub, "--pose", options->poses, "POSE",
      "Use a held pose: npose (arms hanging), tpose (arms out) or chair (seated, arms hanging). Repeat in "
      "the order held. Poses are found where all sensors are still");
  add_motion_options(*sub, *options);
  add_file(*sub, "--sensors", options->sensors, "FILE",
           "Read the approximate mounting of each sensor from a .toml (default: on the link with its name)");
  add_text(
      *sub, "--model", options->model, "NAME",
      "Choose the body: human66, human48; for motion any robot or chain, a .urdf, .xml or .toml (default "
      "human66)");
  add_number(*sub, "--height", options->height, 0.3, 3.0, "m",
             "Set the body height in metres (default 1.75)");
  add_text(
      *sub, "--trusted", options->trusted, "SENSOR",
      "Trust the mounting of this sensor about the vertical: it gives the heading of the magnetic field, "
      "or the direction that the person faced");
  add_text(
      *sub, "--walk", options->walk, "FROM..TO",
      "Find headings without magnetometers from a straight walk within this span, in seconds from the start");
  add_file(*sub, "-o,--out,--output", options->output, "FILE.toml",
           "Write the calibrated sensors, for `panto track --sensors`");
  add_print_options(*sub, options->printing);
  sub->footer(
      "Examples:\n"
      "  panto calibrate poses.csv --pose npose --pose tpose -o subject.toml\n"
      "  panto calibrate poses.csv --pose npose --pose tpose --sensors nominal.toml\n"
      "  panto calibrate leg.csv --sensors leg.toml --hinge jLeftKnee_roty=2..14\n"
      "  panto calibrate leg.csv --sensors leg.toml --hinge jLeftKnee_roty --motion all");
  sub->callback([options, &run] { run = [options] { return run_calibrate(*options); }; });
}

}  // namespace panto::app
