// panto check: a report, or a recording that is tracked for it, held against thresholds; a robot map, held
// against its model.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "apps/panto/command_line.hpp"
#include "apps/panto/commands.hpp"
#include "apps/panto/map.hpp"
#include "apps/panto/tracking.hpp"
#include "panto/evaluation/worst_moments.hpp"
#include "panto/io/robot_map_file.hpp"
#include "panto/io/text_lines.hpp"
#include "panto/io/text_scanner.hpp"
#include "panto/report/report_json.hpp"
#include "panto/report/report_values.hpp"

namespace panto::app {
namespace {

struct CheckOptions {
  TrackingOptions tracking;
  std::optional<std::string> fail_on;  ///< absent: kDefaultThresholds
  bool absent_passes = false;
  bool json = false;
  bool verbose = false;
  std::vector<std::string> tracking_words;  ///< options that were given and need a recording
};

// One threshold and what became of it, with the place in the recording.
struct Line {
  CheckResult result;
  bool failed = false;
  std::string worst;
};

constexpr const char* kReports = "a report is the JSON object that `panto track --json` prints";

// a report begins with a brace; no recording does
bool is_report(const std::string& path) {
  if (io::extension_of(path) == ".json") return true;
  const std::string head = io::read_head(path);
  const std::string_view text = io::trimmed(head);
  return text.starts_with('{') || text.starts_with('[');
}

std::string number_text(const ReportValue& value) {
  if (value.text) return *value.text;
  if (!value.number) return "not known";
  std::string text;
  io::append_number(*value.number, text);
  return text;
}

void print(const std::vector<Line>& lines, const CheckOptions& options, std::int64_t failed) {
  for (const Line& line : lines) {
    if (!line.failed && !options.verbose) continue;
    const Threshold& t = line.result.threshold;
    std::printf("%s %s is %s; fails when %s %s%s%s\n", line.failed ? "FAILED" : "passed",
                line.result.value.key.c_str(), number_text(line.result.value).c_str(),
                to_string(t.comparison), t.limit.c_str(),
                line.worst.empty() ? "" : "; worst: ", line.worst.c_str());
  }
  if (failed == 0) {
    std::printf("%s: all %zu checks passed\n", printable(options.tracking.input).c_str(), lines.size());
  } else {
    std::printf("%s: %lld of %zu checks failed\n", printable(options.tracking.input).c_str(),
                static_cast<long long>(failed), lines.size());
  }
}

void print_json(const std::vector<Line>& lines, const CheckOptions& options, std::int64_t failed) {
  using Json = nlohmann::ordered_json;
  Json checks = Json::array();
  for (const Line& line : lines) {
    const ReportValue& value = line.result.value;
    const Threshold& t = line.result.threshold;
    Json check = Json::object();
    check["key"] = value.key;
    check["value"] = value.text ? Json(*value.text) : value.number ? Json(*value.number) : Json(nullptr);
    check["fails_when"] = to_string(t.comparison);
    check["limit"] = t.number ? Json(*t.number) : Json(t.limit);
    check["outcome"] = to_string(line.result.outcome);
    check["failed"] = line.failed;
    check["worst"] = line.worst.empty() ? Json(nullptr) : Json(line.worst);
    checks.push_back(std::move(check));
  }
  Json all = Json::object();
  all["file"] = options.tracking.input;
  all["passed"] = failed == 0;
  all["failed_count"] = failed;
  all["checks"] = std::move(checks);
  std::printf("%s\n", all.dump(-1, ' ', false, Json::error_handler_t::replace).c_str());
}

// a report, its figures
std::vector<ReportValue> read_report(const std::string& path) {
  std::vector<ReportValue> report = read_report_values(path);
  if (report.empty()) throw FormatError(path + ": holds no figures; " + kReports);
  return report;
}

// Holds a report against the thresholds. A key that nobody wrote on the line, or that is of every report, is
// missing through the file's fault.
std::vector<CheckResult> check_file(const CheckOptions& options, std::vector<Threshold> thresholds,
                                    const std::vector<ReportValue>& report) {
  const std::string& path = options.tracking.input;
  const auto has = [&](std::string_view key) {
    return std::any_of(report.begin(), report.end(),
                       [&](const ReportValue& v) { return v.key == key && (v.number || v.text); });
  };
  if (!options.fail_on && !has("recording_faults")) {
    std::erase_if(thresholds, [](const Threshold& t) { return t.key == "recording_faults"; });
    if (has("frames"))
      say({path + " does not say how sound its recording was: recording_faults is not checked"});
  }
  try {
    return check_report(thresholds, report);
  } catch (const ConfigError& error) {
    if (options.fail_on && has("frames")) throw;
    throw FormatError(path + ": is no report: " + error.what() + "; " + kReports);
  }
}

// prints and answers
int conclude(const std::vector<CheckResult>& results, const CheckOptions& options,
             const WorstMoments* worst) {
  std::vector<Line> lines;
  for (const CheckResult& result : results) {
    const bool failed = result.outcome == CheckOutcome::Failed ||
                        (result.outcome == CheckOutcome::Absent && !options.absent_passes);
    lines.push_back({result, failed, failed && worst != nullptr ? worst->of(result.value.key) : ""});
  }
  const auto failed = std::count_if(lines.begin(), lines.end(), [](const Line& line) { return line.failed; });
  (options.json ? print_json : print)(lines, options, failed);
  return failed == 0 ? kGood : kCheckFailed;
}

int check_recording(const CheckOptions& options, const std::vector<Threshold>& thresholds) {
  // a wrong key is told before the work
  ReportCard blank;
  blank.fallback_counts = {0};
  (void)check_report(thresholds, parse_report_values(to_json(blank), "report"));

  Tracking tracking(options.tracking);
  WorstMoments worst(tracking.model(), tracking.pairs(), tracking.file().names(),
                     from_seconds(options.tracking.settle), tracking.file().info().first_frame);
  const TrackingResult result = tracking.run([&](const SegmentSample& sample, const State& state,
                                                 const StepRecord& step) { worst.add(sample, state, step); });
  const auto report = parse_report_values(to_json(result.card), options.tracking.input);
  const int code = conclude(check_report(thresholds, report), options, &worst);
  const int run_code = result.finish();
  return run_code != kGood ? run_code : code;
}

// a map has no thresholds and is not tracked
int check_map(const CheckOptions& options) {
  std::vector<std::string> words = options.tracking_words;
  if (options.fail_on) words.emplace_back("--fail-on");
  if (!words.empty())
    throw ConfigError(words.front() + " is not for robot maps; '" + options.tracking.input + "' is one");
  return check_robot_map_file(options.tracking.input, options.json);
}

int check(const CheckOptions& options) {
  if (io::is_robot_map_file(options.tracking.input)) return check_map(options);
  if (io::extension_of(options.tracking.input) == ".toml")
    throw FormatError(
        options.tracking.input +
        ": is no robot map, which says `kind = \"robot map\"` and is the only .toml that is checked; "
        "a map of a skeleton's joints is checked by giving it to --rig with its recording");
  const std::vector<Threshold> thresholds =
      parse_thresholds(options.fail_on ? std::string_view(*options.fail_on) : kDefaultThresholds);
  if (!is_report(options.tracking.input)) return check_recording(options, thresholds);
  if (!options.tracking_words.empty())
    throw ConfigError(options.tracking_words.front() + " is for recordings; '" + options.tracking.input +
                      "' is a report");
  return conclude(check_file(options, thresholds, read_report(options.tracking.input)), options, nullptr);
}

}  // namespace

void add_check(CLI::App& app, Run& run) {
  auto options = std::make_shared<CheckOptions>();
  CLI::App* sub =
      app.add_subcommand("check", "A report, recording or robot map against what it must keep: exit code 1.");
  sub->add_option("file,-i,--in", options->tracking.input,
                  "A report that --json wrote, a recording as for `panto track`, or a map of `panto map`")
      ->required()
      ->option_text("FILE");
  sub->add_option(
         "--fail-on", options->fail_on,
         "Fails when one of these holds, separated by commas: KEY OPERATOR LIMIT with > >= < <= == !=, "
         "any key of the report; status_counts.stuck and fallback_counts[1] reach inside "
         "(default: frames, recording_faults, status, limits, angle_p99_deg>5)")
      ->option_text("LIST");
  add_choice<bool>(*sub, "--absent", options->absent_passes, {{"fail", false}, {"pass", true}},
                   "What a figure that the report does not know (null) counts as");
  sub->add_flag("-v,--verbose", options->verbose, "A line for every check that passed, too");
  sub->add_flag("--json", options->json, "One JSON object on stdout instead of the lines");
  add_body_options(*sub, options->tracking);
  add_method_options(*sub, options->tracking);
  sub->footer(
      "Examples:\n"
      "  panto check take.mvnx --model human66\n"
      "  panto check take.mvnx --fail-on 'angle_p99_deg>2,limit_violations>0' -v\n"
      "  panto check my_robot.toml");
  sub->callback([options, sub, &run] {
    for (const char* word :
         {"--model", "--rig", "--height", "--mass", "--solver", "--damping", "--velocity", "--limits",
          "--align", "--paper", "--gain", "--limit-gain", "--speed-limit", "--settle"}) {
      if (sub->count(word) > 0) options->tracking_words.emplace_back(word);
    }
    run = [options] { return check(*options); };
  });
}

}  // namespace panto::app
