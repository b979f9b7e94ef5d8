// panto retarget: a person's motion onto a robot, within its limits.

#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "apps/panto/command_line.hpp"
#include "apps/panto/commands.hpp"
#include "apps/panto/tracking.hpp"
#include "panto/io/report_json.hpp"
#include "panto/io/robot_figures_json.hpp"

namespace panto::app {
namespace {

struct RetargetOptions {
  TrackingOptions tracking;
  bool json = false, smooth = false;
  SmoothingOptions smoothing;
};

// the report card's keys, then those of robots; where both have one, they mean the same
std::string json_of(const Tracking& tracking, const TrackingResult& result) {
  using Json = nlohmann::ordered_json;
  Json json = Json::parse(io::to_json(result.card));
  for (const ReportValue& value : report_values(result.robot->following))
    json[value.key] = value.number ? Json(*value.number) : Json(nullptr);
  const Json figures = Json::parse(io::to_json(result.robot->figures, tracking.model()));
  for (const auto& [key, value] : figures.items()) {
    if (!json.contains(key)) json[key] = value;
  }
  return json.dump();
}

void print(const Tracking& tracking, const TrackingResult& result, bool json) {
  if (json) {
    std::printf("%s\n", json_of(tracking, result).c_str());
    return;
  }
  std::printf("%s: %s -> %s, %d joints, %zu links follow\n\n%s", tracking.options().input.c_str(),
              tracking.file().info().format.c_str(), tracking.model().name().c_str(), tracking.model().dof(),
              tracking.file().info().attachments.attachments.size(), format_table(result.card).c_str());
  std::printf("\n%s", format_table(*result.robot, tracking.model()).c_str());
  for (const std::string& path : result.written) std::printf("\nwrote %s", path.c_str());
  if (!result.written.empty()) std::printf("\n");
}

int retarget(RetargetOptions options) {
  if (options.smooth) options.tracking.smooth = options.smoothing;
  Tracking tracking(options.tracking);
  const TrackingResult result = tracking.run();
  print(tracking, result, options.json);
  return result.finish();
}

}  // namespace

void add_retarget(CLI::App& app, Run& run) {
  auto options = std::make_shared<RetargetOptions>();
  TrackingOptions& tracking = options->tracking;
  tracking.limits = LimitLaw::Braking;
  CLI::App* sub =
      app.add_subcommand("retarget", "A person's motion onto a robot, within the robot's limits.");
  sub->add_option("recording,-i,--in", tracking.input, kRecordingHelp)->required()->option_text("FILE");
  sub->add_option("--robot", tracking.robot, "A robot: a shipped name, a URDF file, or a map of `panto map`")
      ->required()
      ->option_text("NAME");
  sub->add_option("-o,--out", tracking.outputs,
                  "Output, by extension: .csv .npz .mot .sto (base and joints), or a robot's address, "
                  "udp://host:port, in real time; may be repeated")
      ->take_all()
      ->expected(1)
      ->option_text("FILE");
  add_number(*sub, "--rate", tracking.rate, 20.0, 1000.0, "Hz",
             "References per second to an address, in Hz (default the recording's rate)");
  add_choice<FeetMode>(
      *sub, "--feet", tracking.feet,
      {{"plant", FeetMode::Plant}, {"soft", FeetMode::Soft}, {"off", FeetMode::Off}},
      "Feet that stand do not slide; feet go where the person's do; or only turn as they do");
  sub->add_flag(
      "--smooth", options->smooth,
      "Smooth the whole motion within all limits, acceleration and jerk among them, before it is written");
  add_number(*sub, "--cutoff", options->smoothing.cutoff_hz, 0.1, 1e6, "Hz",
             "Half power of --smooth's low-pass, in Hz (default 8)");
  add_number(*sub, "--max-acceleration", options->smoothing.max_acceleration, 1e-3, 1e9, "rad/s^2",
             "Joint acceleration limit of --smooth, in rad/s^2 (default 200)");
  add_number(*sub, "--max-jerk", options->smoothing.max_jerk, 1e-3, 1e12, "rad/s^3",
             "Joint jerk limit of --smooth, in rad/s^3 (default 10000)");
  add_person_options(*sub, tracking);
  add_method_options(*sub, tracking);
  add_page_options(*sub, tracking);
  sub->add_flag("--json", options->json, "One JSON object on stdout instead of the table");
  sub->footer(
      "Examples:\n"
      "  panto retarget dance.bvh --robot unitree_g1 -o dance.csv\n"
      "  panto retarget take.mvnx --robot my_robot.urdf --report take.html\n"
      "  panto retarget wave.bvh --robot my_map.toml -o udp://127.0.0.1:7000 --rate 50");
  sub->callback([options, &run] { run = [options] { return retarget(*options); }; });
}

}  // namespace panto::app
