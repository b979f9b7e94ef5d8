// panto doctor: what this computer allows a live run, and how to change it.

#include <CLI/App.hpp>
#include <cstdio>

#include "apps/panto/commands.hpp"
#include "apps/support/command_line.hpp"
#include "panto/bridge/machine_report.hpp"
#include "panto/live/address.hpp"

namespace panto::app {
namespace {

int run_doctor(bool json) {
  const std::vector<live::Finding> findings = live::diagnose(live::examine(live::stream_schemes(true)));
  std::fputs((json ? bridge::to_json(findings) : bridge::to_text(findings)).c_str(), stdout);
  return kGood;
}

}  // namespace

void add_doctor(CLI::App& app, Run& run) {
  auto json = std::make_shared<bool>(false);
  CLI::App* sub =
      app.add_subcommand("doctor", "Check whether this computer is ready for live runs, and name remedies.");
  add_flag(*sub, "--json", *json, "Print one JSON array instead of the text");
  sub->callback([json, &run] { run = [json] { return run_doctor(*json); }; });
}

}  // namespace panto::app
