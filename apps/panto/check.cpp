// panto check: checks a report, or a recording that it tracks first, against thresholds; a robot map against
// its model.

#include <CLI/App.hpp>
#include <algorithm>
#include <cstdio>
#include <memory>
#include <optional>

#include "apps/panto/commands.hpp"
#include "apps/panto/track_task.hpp"
#include "apps/support/command_line.hpp"
#include "panto/api/check.hpp"
#include "panto/api/robot_motion.hpp"
#include "panto/base/error.hpp"
#include "panto/evaluation/worst_moments.hpp"
#include "panto/io/open_model.hpp"
#include "panto/io/robot_map_file.hpp"
#include "panto/io/text_lines.hpp"
#include "panto/io/text_scanner.hpp"
#include "panto/report/card_values.hpp"
#include "panto/report/check_report.hpp"
#include "panto/report/robot_motion_report.hpp"

namespace panto::app {
namespace {

struct CommandOptions {
  TrackingOptions tracking;
  std::optional<std::string> fail_on;  ///< absent: default_thresholds
  bool absent_passes = false;
  bool json = false, verbose = false;
  std::vector<std::string> words;  ///< given options that not every content takes
};

constexpr const char* kReports = "a report is the JSON object that `panto track --json` prints";

// a report begins with a brace, a recording never does
bool is_report(const std::string& path) {
  if (io::extension_of(path) == ".json") return true;
  const std::string head = io::read_head(path);
  const std::string_view text = io::trimmed(head);
  return text.starts_with('{') || text.starts_with('[');
}

// Checks a report against the thresholds. Blames the file for a missing key that is not from the command
// line, or that every report has.
CheckReport check_file(const CommandOptions& options, std::vector<Threshold> thresholds,
                       const std::vector<ReportValue>& report) {
  const std::string& path = options.tracking.input;
  const auto has = [&](std::string_view key) {
    return std::any_of(report.begin(), report.end(),
                       [&](const ReportValue& v) { return v.key == key && (v.number || v.text); });
  };
  if (!options.fail_on && !has("recording_faults")) {
    std::erase_if(thresholds, [](const Threshold& t) { return t.key == "recording_faults"; });
    if (has("frames")) say({path + " lacks recording_faults: the soundness of its recording is not checked"});
  }
  try {
    return panto::check(report, thresholds, {options.absent_passes, nullptr});
  } catch (const ConfigError& error) {
    if (options.fail_on && has("frames")) throw;
    throw FormatError(path + ": not a report: " + error.what() + "; " + kReports);
  }
}

int conclude(const CheckReport& report, const CommandOptions& options) {
  const std::string& name = options.tracking.input;
  if (options.json) {
    std::printf("%s\n", to_json(report, name).c_str());
  } else {
    print_result(verdict_of(report, name), "",
                 to_text(report, options.verbose ? ShownChecks::All : ShownChecks::Failed), {});
  }
  return report.failed == 0 ? kGood : kCheckFailed;
}

int check_recording(const CommandOptions& options, const std::vector<Threshold>& thresholds,
                    io::Input& input) {
  check_keys(thresholds);  // refuse a wrong one before the work
  TrackTask task(options.tracking, &input);
  WorstMoments worst(*task.model, task.pairs(), task.recording->names(),
                     from_seconds(options.tracking.settle), task.recording->info().first_frame);
  say(task.notes());
  Observer observer = task.observer();
  observer.frame = [&](const SegmentSample& sample, const State& state, const StepRecord& step) {
    worst.add(sample, state, step);
  };
  const TrackResult result = track(*task.recording, *task.model, task.tracking(), observer);
  const int code =
      conclude(panto::check(result.card, thresholds,
                            {options.absent_passes, [&](const std::string& key) { return worst.of(key); }}),
               options);
  const int run_code = finish(result.damage, result.frames_used, true);
  return run_code != kGood ? run_code : code;
}

int check_map(const CommandOptions& options) {
  refuse_given(options.words, options.tracking.input, "is a robot map");
  const io::RobotFile robot = io::open_robot(options.tracking.input);
  const MapCheck found = panto::check(*robot.map, robot.model);
  if (!options.json) say(robot.notes);
  if (options.json) {
    std::printf("%s\n", to_json(found, robot).c_str());
  } else {
    print_result(verdict_of(found, robot.name), "", to_text(found, robot), {});
  }
  return found.usable ? kGood : kCheckFailed;
}

int check_motion(const CommandOptions& options, io::Input& input) {
  const TrackingOptions& tracking = options.tracking;
  refuse_given(options.words, tracking.input, "holds a robot's motion", {"--fail-on", "--robot", "--from"});
  const RobotMotion motion = open_robot_motion(input, tracking.robot, io::parse_motion_hints(tracking.from));
  check_settled(motion);
  const RetargetResult judged = judge_motion(motion);
  if (!options.json) say(judged.notes);
  const std::vector<ReportValue> report = report_values(motion, judged);
  return conclude(
      panto::check(report, options.fail_on ? parse_thresholds(*options.fail_on) : default_thresholds(report),
                   {options.absent_passes, nullptr}),
      options);
}

int check(const CommandOptions& options) {
  if (io::is_robot_map_file(options.tracking.input)) return check_map(options);
  if (io::extension_of(options.tracking.input) == ".toml")
    throw FormatError(
        options.tracking.input +
        ": not a robot map (`kind = \"robot map\"` is missing), the only .toml that panto check reads; "
        "check a rig map with its recording: --rig MAP.toml");
  io::Input input(options.tracking.input, io::Folder::Allowed);
  if (io::is_robot_motion(input)) return check_motion(options, input);
  const bool written = is_report(options.tracking.input);
  if (!written) refuse_motion_words(options.words, options.tracking.input);
  const std::vector<Threshold> thresholds =
      parse_thresholds(options.fail_on ? std::string_view(*options.fail_on) : kDefaultThresholds);
  if (!written) return check_recording(options, thresholds, input);
  refuse_given(options.words, options.tracking.input, "is a report", {"--fail-on"});
  const std::vector<ReportValue> report = read_report_values(options.tracking.input);
  if (report.empty()) throw FormatError(options.tracking.input + ": holds no figures; " + kReports);
  return conclude(check_file(options, options.fail_on ? thresholds : default_thresholds(report), report),
                  options);
}

}  // namespace

void add_check(CLI::App& app, Run& run) {
  auto options = std::make_shared<CommandOptions>();
  CLI::App* sub =
      app.add_subcommand("check", "Check a report, recording or robot map; exit code 1 if it fails.");
  add_text(*sub, "file,-i,--in", options->tracking.input, "FILE",
           "Report that --json wrote, recording as for `panto track`, or map that `panto map` wrote")
      ->required();
  add_text(
      *sub, "--fail-on", options->fail_on, "LIST",
      "Fail when one of these conditions holds, separated by commas: KEY OPERATOR LIMIT with > >= < <= == "
      "!=, any key of the report; nested keys: status_counts.stuck, fallback_counts[1] "
      "(default: frames, recording_faults, status, limits, angle_p99_deg>5)");
  add_choice<bool>(*sub, "--absent", options->absent_passes, {{"fail", false}, {"pass", true}},
                   "Let unknown figures (null in the report) fail or pass");
  add_flag(*sub, "--verbose", options->verbose, "Also print a line for every check that passed");
  add_flag(*sub, "--json", options->json, "Print one JSON object instead of the text");
  add_motion_options(*sub, options->tracking.robot, options->tracking.from);
  add_body_options(*sub, options->tracking);
  add_method_options(*sub, options->tracking);
  sub->footer(
      "Examples:\n"
      "  panto check take.mvnx --model human66\n"
      "  panto check take.mvnx --fail-on 'angle_p99_deg>2,limit_violations>0' --verbose\n"
      "  panto check my_robot.toml");
  sub->callback([options, sub, &run] {
    options->words = given_besides(*sub, {"--help", "--in", "--absent", "--verbose", "--json"});
    run = [options] { return check(*options); };
  });
}

}  // namespace panto::app
