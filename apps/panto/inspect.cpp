// panto inspect: shows the content of a file, how its skeleton is understood, and findings.

#include <CLI/App.hpp>
#include <cstdio>
#include <filesystem>
#include <memory>

#include "apps/panto/commands.hpp"
#include "apps/panto/printing.hpp"
#include "apps/panto/tracking_options.hpp"
#include "apps/support/command_line.hpp"
#include "panto/api/inspect_facts.hpp"
#include "panto/api/robot_motion.hpp"
#include "panto/base/error.hpp"
#include "panto/io/imu_formats.hpp"
#include "panto/io/input.hpp"
#include "panto/io/mapped_recording.hpp"
#include "panto/io/outputs.hpp"
#include "panto/io/part_file.hpp"
#include "panto/io/rig_file.hpp"
#include "panto/report/report.hpp"
#include "panto/report/robot_motion_report.hpp"

namespace panto::app {
namespace {

struct InspectOptions {
  std::string input, output, rig, one, take, robot, from;
  std::vector<std::string> words;  ///< given options that not every content takes
  PrintOptions printing;
};

// returns whether it replaced a file
bool write_map(const InspectOptions& options, const Inspection& inspection) {
  const std::string name = std::filesystem::path(options.input).filename().string();
  std::error_code unknown;
  const bool replaced = std::filesystem::exists(options.output, unknown);
  io::write_file(options.output, io::write_rig_map(*inspection.rig, inspection.rig_joints, name));
  return replaced;
}

// returns the exit code
template <typename Found>
int print(const InspectOptions& options, const Found& found, const std::string& format,
          const std::vector<std::string>& written) {
  const Verdict verdict = verdict_of(found);
  if (options.printing.json)
    std::printf("%s\n", to_json(found).c_str());
  else
    print_result(verdict, options.input + ": " + format,
                 options.printing.verbose ? to_text(found) : figures_text(verdict) + findings_text(found),
                 written);
  return code_of(verdict, options.printing.strict);
}

int inspect_sensors(const InspectOptions& options, io::Input& input) {
  refuse_given(options.words, options.input, "holds raw sensors");
  const ImuInspection inspection = panto::inspect(io::open_imu(input));
  return print(options, inspection, inspection.format, {});
}

int inspect_motion(const InspectOptions& options, io::Input& input) {
  refuse_given(options.words, options.input, "holds a robot's motion", {"--robot", "--from"});
  const RobotMotion motion = open_robot_motion(input, options.robot, io::parse_motion_hints(options.from));
  const RetargetResult judged = judge_motion(motion);
  const Verdict verdict = verdict_of(motion, judged);
  if (options.printing.json) {
    std::printf("%s\n", to_json(motion, judged).c_str());
  } else {
    say(judged.notes);
    print_result(verdict, options.input + ": " + head_of(motion),
                 told_text(motion) + "\n" +
                     (options.printing.verbose ? to_text(judged, motion.robot.model) : figures_text(verdict)),
                 {});
  }
  return code_of(verdict, options.printing.strict);
}

int inspect(const InspectOptions& options) {
  io::Input input(options.input, io::Folder::Allowed);
  if (io::is_robot_motion(input)) return inspect_motion(options, input);
  refuse_motion_words(options.words, options.input);
  if (io::recognise_imu(input) != io::ImuFormat::None) return inspect_sensors(options, input);
  if (!options.output.empty()) {
    io::check_outputs({options.output}, {options.input, options.rig});
    io::check_ending("output", options.output, ".toml", "a rig map");
  }
  const Inspection inspection =
      panto::inspect(input, io::read_mapped_hints(options.rig, 0.0, options.one, options.take));
  std::vector<std::string> written;
  if (!options.output.empty() && inspection.rig)
    written.push_back(options.output +
                      (write_map(options, inspection) ? " (replaced the existing file)" : ""));
  const int code = print(options, inspection, inspection.format, written);
  if (!options.output.empty() && !inspection.rig) {
    const std::string name = options.input + ": ";
    const std::string& why = inspection.refusal;
    throw FormatError(name + "no rig map to write: " +
                      (inspection.trackable ? "the recording names the human's segments itself and needs none"
                                            : why.substr(why.starts_with(name) ? name.size() : 0)));
  }
  return code;
}

}  // namespace

void add_inspect(CLI::App& app, Run& run) {
  auto options = std::make_shared<InspectOptions>();
  CLI::App* sub = app.add_subcommand(
      "inspect", "Show a recording's content, how its skeleton is understood, and problems.");
  add_recording(*sub, options->input);
  add_text(*sub, "-o,--out,--output", options->output, "MAP.toml",
           "Write the skeleton's map, to edit and to give to --rig");
  add_rig_option(*sub, options->rig, options->one, options->take);
  add_motion_options(*sub, options->robot, options->from);
  add_print_options(*sub, options->printing);
  sub->footer(
      "Examples:\n"
      "  panto inspect take.mvnx\n"
      "  panto inspect take.bvh -o rig.toml\n"
      "  panto inspect take.bvh --rig rig.toml --json\n"
      "  panto inspect motion.npz --robot g1");
  sub->callback([options, sub, &run] {
    options->words = given_besides(*sub, {"--in", "--verbose", "--json", "--strict"});
    run = [options] { return inspect(*options); };
  });
}

}  // namespace panto::app
