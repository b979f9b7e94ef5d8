// panto imitate: a person's gestures on a robot, one by one, within its range and speed.

#include <CLI/CLI.hpp>
#include <memory>

#include "apps/panto/command_line.hpp"
#include "apps/panto/commands.hpp"
#include "apps/panto/gestures.hpp"
#include "panto/base/error.hpp"

namespace panto::app {

// size: one list of options with their help, nothing to decide
void add_imitate(CLI::App& app, Run& run) {
  auto options = std::make_shared<GestureOptions>();
  TrackingOptions& tracking = options->tracking;
  tracking.solver = SolverKind::Modular;
  tracking.limits = LimitLaw::None;
  tracking.feet = FeetMode::Off;
  tracking.robot = "olivia17";
  tracking.settle = 0.0;  // modules find every pose anew: nothing settles
  tracking.scale.emplace().range.map = RangeMap::Smooth;
  CLI::App* sub = app.add_subcommand(
      "imitate", "A person's gestures on a robot, one by one, within its range and speed.");
  sub->add_option("recording,-i,--in", tracking.input, std::string(kRecordingHelp) + kRawSensorsHelp)
      ->required()
      ->option_text("FILE");
  sub->add_option("--robot", tracking.robot,
                  "A robot: a shipped name, a URDF file, or a map of `panto map` (default olivia17)")
      ->option_text("NAME");
  sub->add_option("-o,--out,--output", tracking.outputs,
                  "Output, by extension: .csv .npz .mot .sto, of several gestures numbered files, "
                  "wave_1.csv; or, of a single gesture, a robot's address, udp://host:port; may be repeated")
      ->take_all()
      ->expected(1)
      ->option_text("FILE");
  add_number(*sub, "--rate", tracking.rate, 20.0, 1000.0, "Hz",
             "References per second to an address, in Hz (default the recording's rate)");
  add_choice<TimeLaw>(*sub, "--pace", tracking.scale->time.law,
                      {{"optimal", TimeLaw::Optimal}, {"uniform", TimeLaw::Uniform}},
                      "A gesture that is too fast is slowed down only where it must be, or all of it "
                      "alike, which keeps its rhythm");
  add_number(*sub, "--max-acceleration", tracking.scale->time.max_acceleration, 1e-3, 1e9, "rad/s^2",
             "Joint acceleration limit, in rad/s^2 (default none)");
  add_number(*sub, "--speed-on", options->segmentation.speed_on, 1e-3, 10.0, "m/s",
             "A gesture moves a hand at least so fast, in m/s (default 0.15)");
  add_number(*sub, "--speed-off", options->segmentation.speed_off, 1e-4, 10.0, "m/s",
             "It begins and ends where all hands are slower, in m/s (default 0.08)");
  add_number(*sub, "--turn-on", options->segmentation.turn_on, 1e-2, 100.0, "rad/s",
             "Or turns a hand at least so fast, in rad/s (default 1)");
  add_number(*sub, "--turn-off", options->segmentation.turn_off, 1e-3, 100.0, "rad/s",
             "And all hands turn slower, in rad/s (default 0.5)");
  add_number(*sub, "--min-pause", options->segmentation.min_pause, 0.0, 60.0, "s",
             "Shorter pauses do not part gestures, in s (default 0.3)");
  add_person_options(*sub, tracking);
  add_sensor_options(*sub, tracking);
  add_method_options(*sub, tracking);
  // there is no choice of limits, and none of their gain
  for (const char* word : {"--limits", "--limit-gain"}) sub->remove_option(sub->get_option(word));
  add_page_options(*sub, tracking, options->json, "the text");
  for (const char* word : {"--pace", "--max-acceleration", "--speed-on", "--speed-off", "--turn-on",
                           "--turn-off", "--min-pause"})
    sub->get_option(word)->group("Method");
  // what is refused with its reason needs no line of the help
  for (const char* word : {"--paper", "--frames"}) sub->get_option(word)->group("");
  sub->footer(
      "The same as panto retarget --solver modular --limits scale --turns --feet off.\n"
      "Examples:\n"
      "  panto imitate wave.bvh -o wave.csv\n"
      "  panto imitate take.mvnx --robot unitree_g1 --report take.html");
  sub->callback([options, sub, &run] {
    options->tracking.any_solver = sub->count("--solver") == 0;
    if (options->tracking.robot.empty())
      throw ConfigError("--robot is empty: name a robot, a URDF file or a map");
    run = [options] { return run_gestures(*options); };
  });
}

}  // namespace panto::app
