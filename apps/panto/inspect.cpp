// panto inspect: what a file holds, how it was understood, and what is odd about it.

#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>
#include <memory>

#include "apps/panto/command_line.hpp"
#include "apps/panto/commands.hpp"
#include "apps/panto/tracking_options.hpp"
#include "panto/api/inspect.hpp"
#include "panto/api/inspect_imu.hpp"
#include "panto/base/error.hpp"
#include "panto/io/input.hpp"
#include "panto/io/open_imu.hpp"
#include "panto/io/outputs.hpp"
#include "panto/io/part_file.hpp"
#include "panto/io/rig_file.hpp"
#include "panto/io/text_scanner.hpp"
#include "panto/report/inspection.hpp"

namespace panto::app {
namespace {

struct InspectOptions {
  std::string input, output, rig;
  bool json = false;
};

// true: a file was there before
bool write_map(const InspectOptions& options, const Inspection& inspection) {
  if (!inspection.rig) {
    throw FormatError(
        options.input + ": there is no rig map to write: " +
        (inspection.trackable ? "the recording names the segments of the human itself" : inspection.refusal));
  }
  const std::string name = std::filesystem::path(options.input).filename().string();
  const std::string text = io::write_rig_map(*inspection.rig, inspection.rig_joints, name);
  std::error_code unknown;
  const bool replaced = std::filesystem::exists(options.output, unknown);
  io::PartFile file(options.output);
  (void)file.write(text);  // a failure is kept for close()
  file.close();
  return replaced;
}

// what holds raw sensors has no skeleton, and so no map
int inspect_sensors(const InspectOptions& options, io::Input& input) {
  if (!options.output.empty() || !options.rig.empty())
    throw ConfigError(std::string(options.rig.empty() ? "-o" : "--rig") + " is for skeletons; '" +
                      options.input + "' holds raw sensors");
  const ImuInspection inspection = panto::inspect(io::open_imu(input));
  std::fputs((options.json ? to_json(inspection) + "\n" : to_text(inspection)).c_str(), stdout);
  return kGood;
}

int inspect(const InspectOptions& options) {
  io::Input input(options.input, io::Folder::Allowed);
  if (io::recognise_imu(input) != io::ImuFormat::None) return inspect_sensors(options, input);
  if (!options.output.empty()) {
    io::check_outputs({options.output}, {options.input, options.rig});
    if (io::extension_of(options.output) != ".toml")
      throw ConfigError("output '" + options.output + "': a rig map is written; its name must end in .toml");
  }
  const Inspection inspection = inspect_file(input, options.rig);
  std::fputs((options.json ? to_json(inspection) + "\n" : to_text(inspection)).c_str(), stdout);
  if (!options.output.empty()) {
    const bool replaced = write_map(options, inspection);
    if (!options.json)
      std::printf("\nwrote %s%s\n", options.output.c_str(),
                  replaced ? ", which replaces the one before" : "");
  }
  return kGood;
}

}  // namespace

void add_inspect(CLI::App& app, Run& run) {
  auto options = std::make_shared<InspectOptions>();
  CLI::App* sub = app.add_subcommand(
      "inspect", "What a recording holds, how its skeleton is understood, what is odd about it.");
  sub->add_option("recording,-i,--in", options->input, std::string(kRecordingHelp) + kRawSensorsHelp)
      ->required()
      ->option_text("FILE");
  sub->add_option("-o,--out,--output", options->output,
                  "Write how the skeleton was understood as a map to edit and give to --rig")
      ->option_text("MAP.toml");
  add_rig_option(*sub, options->rig);
  sub->add_flag("--json", options->json, "One JSON object on stdout instead of the text");
  sub->footer(
      "Examples:\n"
      "  panto inspect take.mvnx\n"
      "  panto inspect take.bvh -o rig.toml\n"
      "  panto inspect take.bvh --rig rig.toml --json");
  sub->callback([options, &run] { run = [options] { return inspect(*options); }; });
}

}  // namespace panto::app
