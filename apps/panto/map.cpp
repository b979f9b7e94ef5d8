// panto map: shows which link of a robot follows which segment of a person, and why.

#include <CLI/App.hpp>
#include <cstdio>
#include <filesystem>
#include <memory>

#include "apps/panto/commands.hpp"
#include "apps/panto/job.hpp"
#include "apps/panto/tracking_options.hpp"
#include "apps/support/command_line.hpp"
#include "panto/api/retarget.hpp"
#include "panto/base/printable.hpp"
#include "panto/io/open_model.hpp"
#include "panto/io/outputs.hpp"
#include "panto/io/part_file.hpp"
#include "panto/io/robot_map_file.hpp"
#include "panto/report/check_report.hpp"

namespace panto::app {
namespace {

struct MapOptions {
  std::string input, output;
  std::vector<std::string> package_dirs;
  bool json = false;
  std::optional<BaseKind> base;
};

// the model's name in the map: a file relative to the map's folder, a shipped name unchanged
std::string model_for(const MapOptions& options) {
  if (!io::is_model_file(options.input)) return options.input;
  std::error_code unknown;
  const auto folder = std::filesystem::absolute(options.output, unknown).parent_path();
  const auto relative = std::filesystem::relative(options.input, folder, unknown);
  return unknown || relative.empty() ? options.input : relative.generic_string();
}

int map(const MapOptions& options) {
  if (!options.output.empty()) {
    io::check_outputs({options.output}, {options.input});
    io::check_ending("output", options.output, ".toml", "a robot map");
  }
  io::RobotFile file = io::open_robot(options.input, scaled_subject(1.75), options.package_dirs);
  file.base = options.base;
  if (file.map)
    throw ConfigError("'" + options.input +
                      "' is a robot map, not a model; give it to --robot or `panto check`");
  const Robot robot = robot_of(file);
  const robot::MapProposal proposal{robot.map, robot.reasons, robot.notes};
  if (!options.json) say(file.notes);
  std::fputs((options.json ? to_json(proposal, file) + "\n" : printable(to_text(proposal, file))).c_str(),
             stdout);
  if (options.output.empty()) return kGood;
  io::write_file(options.output, io::write_robot_map(proposal, model_for(options)));
  if (!options.json) std::printf("\nwrote %s\n", printable(options.output).c_str());
  return kGood;
}

}  // namespace

void add_map(CLI::App& app, Run& run) {
  auto options = std::make_shared<MapOptions>();
  CLI::App* sub = app.add_subcommand("map", "Show which link of a robot follows which segment, and why.");
  add_text(*sub, "robot,-i,--in", options->input, "ROBOT",
           "Robot to map: a URDF or MJCF file or a shipped name")
      ->required();
  add_file(*sub, "-o,--out,--output", options->output, "MAP.toml",
           "Write the map, to edit and to give to --robot");
  add_base_option(*sub, options->base);
  add_text(*sub, "--package-dir", options->package_dirs, "DIR", kPackageDirHelp);
  add_flag(*sub, "--json", options->json, "Print one JSON object instead of the table");
  sub->footer(
      "Examples:\n"
      "  panto map my_robot.urdf\n"
      "  panto map my_robot.urdf -o my_robot.toml\n"
      "  panto check my_robot.toml");
  sub->callback([options, &run] { run = [options] { return map(*options); }; });
}

}  // namespace panto::app
