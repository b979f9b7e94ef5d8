// panto map: which link of a robot follows which segment of a person, and why.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>

#include "apps/panto/command_line.hpp"
#include "apps/panto/commands.hpp"
#include "apps/panto/resolve.hpp"
#include "panto/ik/robot_map.hpp"

namespace panto::app {
namespace {

struct MapOptions {
  std::string input, output;
  bool json = false;
};

int map(const MapOptions& options) {
  std::vector<std::string> notes;
  const Model model = resolve_model(options.input, {}, notes);
  const RobotMapProposal proposal = propose_robot_map(model);
  const auto& attachments = proposal.map.attachments.attachments;
  for (std::size_t i = 0; i < attachments.size(); ++i) {
    const Attachment& a = attachments[i];
    const auto& f = proposal.reasons[i].follows;
    std::printf("%-14s %-26s %.2f %.2f %.2f %s %s\n", a.segment.c_str(), a.link.c_str(), f.x(), f.y(), f.z(),
                a.position ? "p" : " ", proposal.reasons[i].why.c_str());
  }
  for (const std::string& note : proposal.notes) std::printf("note: %s\n", note.c_str());
  return kGood;
}

}  // namespace

void add_map(CLI::App& app, Run& run) {
  auto options = std::make_shared<MapOptions>();
  CLI::App* sub = app.add_subcommand("map", "Which link of a robot follows which segment of a person, and why.");
  sub->add_option("robot,-i,--in", options->input, "A URDF file, or a shipped robot's name")
      ->required()
      ->option_text("ROBOT");
  sub->callback([options, &run] { run = [options] { return map(*options); }; });
}

}  // namespace panto::app
