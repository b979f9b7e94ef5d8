// panto track: a recording onto a human.

#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>

#include "apps/panto/command_line.hpp"
#include "apps/panto/commands.hpp"
#include "apps/panto/tracking.hpp"
#include "panto/io/report_json.hpp"

namespace panto::app {
namespace {

struct TrackOptions {
  TrackingOptions tracking;
  bool json = false;
};

void print(const Tracking& tracking, const TrackingResult& result, bool json) {
  if (json) {
    std::printf("%s\n", io::to_json(result.card).c_str());
    return;
  }
  const SolverKind solver = tracking.options().solver;
  const std::string method = solver == SolverKind::Dynamical ? "" : std::string(", ") + to_string(solver);
  std::printf("%s: %s -> %s%s\n\n%s", printable(tracking.options().input).c_str(),
              tracking.file().info().format.c_str(), printable(tracking.model().name()).c_str(),
              method.c_str(), format_table(result.card).c_str());
  for (const std::string& path : result.written) std::printf("\nwrote %s", printable(path).c_str());
  if (!result.written.empty()) std::printf("\n");
}

int track(const TrackOptions& options) {
  Tracking tracking(options.tracking);
  const TrackingResult result = tracking.run();
  print(tracking, result, options.json);
  return result.finish();
}

}  // namespace

void add_track(CLI::App& app, Run& run) {
  auto options = std::make_shared<TrackOptions>();
  TrackingOptions& tracking = options->tracking;
  CLI::App* sub =
      app.add_subcommand("track", "A recording onto a human: joint angles, and how good they are.");
  sub->add_option("recording,-i,--in", tracking.input, kRecordingHelp)->required()->option_text("FILE");
  sub->add_option(
         "-o,--out", tracking.outputs,
         "Output, by extension: .csv .mot .sto .npz (joint angles), .bvh .mvnx (moving skeleton); may be "
         "repeated")
      ->take_all()
      ->expected(1)
      ->option_text("FILE");
  add_body_options(*sub, tracking);
  add_choice<io::AngleConvention>(*sub, "--angles", tracking.angles,
                                  {{"model", io::AngleConvention::Model}, {"isb", io::AngleConvention::Isb}},
                                  "Angles in tables: of the model's joints, or of the 22 ISB joints");
  add_method_options(*sub, tracking);
  add_page_options(*sub, tracking, options->json, "the table");
  sub->footer(
      "Examples:\n"
      "  panto track take.mvnx -o take.mot -o take.csv\n"
      "  panto track take.mvnx --model human48 --angles isb -o angles.sto\n"
      "  panto track take.bvh --report take.html\n"
      "  panto track take.bvh --height 1.82 --json\n"
      "  panto track take.mvnx --solver instantaneous");
  sub->callback([options, &run] { run = [options] { return track(*options); }; });
}

}  // namespace panto::app
