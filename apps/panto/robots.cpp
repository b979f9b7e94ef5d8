// panto robots, panto version, panto help: lists what ships with the command.

#include <CLI/App.hpp>
#include <cstdio>
#include <memory>

#include "apps/panto/commands.hpp"
#include "apps/support/command_line.hpp"
#include "panto/report/robot_list.hpp"

namespace panto::app {

void add_robots(CLI::App& app, Run& run) {
  CLI::App* sub = app.add_subcommand("robots", "List the robots that ship with Panto.");
  const auto json = std::make_shared<bool>(false);
  add_flag(*sub, "--json", *json, "Print one JSON object instead of the table");
  sub->footer("Examples:\n  panto robots\n  panto robots --json");
  sub->callback([json, &run] {
    run = [json] {
      std::printf("%s", (*json ? report::robot_list_json() + "\n" : report::robot_list_text()).c_str());
      return kGood;
    };
  });
}

void add_help(CLI::App& app, Run& run) {
  CLI::App* help = app.add_subcommand("help", "Explain a command: panto help track.");
  // `parse` turns it into --help; this lists it in the help
  help->add_option("command", "Command to explain (default panto itself)")->expected(0, 1);
  CLI::App* version = app.add_subcommand("version", "Print the version.");
  version->callback([&run] {
    run = [] {
      std::printf("panto %s\n", PANTO_VERSION);
      return kGood;
    };
  });
}

}  // namespace panto::app
