// panto doctor: what this computer allows a live run, and how to change it.

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>

#include "apps/panto/command_line.hpp"
#include "apps/panto/commands.hpp"
#include "panto/live/address.hpp"
#include "panto/live/machine.hpp"

namespace panto::app {
namespace {

void print_findings(const std::vector<live::Finding>& findings) {
  std::size_t widest = 0;
  for (const live::Finding& finding : findings) widest = std::max(widest, finding.subject.size());
  for (const live::Finding& finding : findings) {
    std::printf("%-4s  %-*s  %s\n", finding.remedy.empty() ? "ok" : "hint", static_cast<int>(widest),
                finding.subject.c_str(), finding.state.c_str());
    if (!finding.remedy.empty()) std::printf("      %s\n", finding.remedy.c_str());
  }
}

int run_doctor(bool json) {
  const std::vector<live::Finding> findings = live::diagnose(live::examine(live::stream_schemes(true)));
  if (json) {
    nlohmann::ordered_json all = nlohmann::ordered_json::array();
    for (const live::Finding& finding : findings)
      all.push_back({{"subject", finding.subject},
                     {"state", finding.state},
                     {"good", finding.remedy.empty()},
                     {"remedy", finding.remedy}});
    std::printf("%s\n", all.dump(2).c_str());
  } else {
    print_findings(findings);
  }
  return kGood;
}

}  // namespace

void add_doctor(CLI::App& app, Run& run) {
  auto json = std::make_shared<bool>(false);
  CLI::App* sub =
      app.add_subcommand("doctor", "Say what this computer allows a live run, and how to change it.");
  sub->add_flag("--json", *json, "Print one JSON array instead of the text");
  sub->callback([json, &run] { run = [json] { return run_doctor(*json); }; });
}

}  // namespace panto::app
